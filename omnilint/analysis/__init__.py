"""Step 2: binding-time analysis of the functions that tracing can reach, over nodes of LibCST's kinds."""

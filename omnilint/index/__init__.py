"""Step 1: what a module imports, defines and calls, by the standard library's `ast`, one pass."""

"""Step 6: one module a format."""

"""omnilint inside other tools."""

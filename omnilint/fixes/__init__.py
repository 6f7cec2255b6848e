"""Step 5: repairs. Each kind is a module that proposes edits; the engine applies them, all or none, and checks."""

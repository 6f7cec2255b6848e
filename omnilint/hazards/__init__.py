"""Step 3: one module a hazard class, from events and index facts to findings."""

"""Step 4: put each finding to the user's own JAX, in a process of its own."""

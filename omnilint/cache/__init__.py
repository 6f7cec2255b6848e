"""What earlier runs found out, kept by content: JSON alone, so that no cache can bring code with it."""

"""Builds the shipped history from the releases on the package index; not needed at run time."""

"""Hierarchies of codes: trees, groupings that cut across them, and the files they come in."""

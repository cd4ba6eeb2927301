"""Files of one's own: a schema that says how they are written and what their columns are, and reading by it."""

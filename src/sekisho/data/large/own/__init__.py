"""Data of one's own beyond memory, read as a schema with columns says."""

"""Records: one row a person, as files, as points, and as partners of one another."""

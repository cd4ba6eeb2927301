"""Who is unique: in the file, by which sets of keys, and how many of them in the population."""

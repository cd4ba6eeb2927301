"""The optimiser: the cheapest further cells whose suppression protects every primary."""

"""What a file of one's own is, found out by looking at it, and the recipe and schema that are proposed for it."""

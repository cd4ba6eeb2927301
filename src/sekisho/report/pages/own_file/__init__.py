"""What was seen in a file of one's own, in words: the commented schema and recipe that are proposed, and advice."""

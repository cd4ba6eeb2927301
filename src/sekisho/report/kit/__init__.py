"""What reports are made of: blocks, words in two languages, and the two media."""

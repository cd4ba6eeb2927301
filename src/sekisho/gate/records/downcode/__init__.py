"""What the cells of a release still can be, for one who knows how it was made."""

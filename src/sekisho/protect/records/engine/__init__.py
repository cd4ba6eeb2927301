"""Methods of single columns and of drawing, on records that do not fit into memory."""

"""What a table is: cells and equations, dimensions with trees, linked tables, who stands behind a cell."""

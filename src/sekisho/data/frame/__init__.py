"""Data in memory: columns and their roles, data sets, generalised cells, releases, and how far cells are from the truth."""

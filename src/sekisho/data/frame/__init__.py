"""Data in memory: columns and roles, data sets, generalised cells, releases, and how far cells are from the truth."""

"""The files of the table commands: cells, marks, populations and records read, and what may be published written."""

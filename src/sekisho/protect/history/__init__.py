"""Methods for histories: whole customers are published alike, rows are generalised or deleted."""

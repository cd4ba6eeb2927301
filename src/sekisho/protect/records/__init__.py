"""Methods for records: swapped, deleted, changed by chance, sampled."""

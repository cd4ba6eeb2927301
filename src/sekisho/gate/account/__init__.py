"""The account of a release: what covers each column, cell and attacker, counted from what would be written."""

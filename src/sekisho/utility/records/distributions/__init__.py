"""How the distributions of a release differ from the original's: by column, by pair, and as associations."""

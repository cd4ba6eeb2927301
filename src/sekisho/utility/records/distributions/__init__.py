"""How the distributions of a release differ from the original's: column by column, pair by pair, and as associations."""

"""Who asks: accounts, passwords, tokens, sessions, and how often a password may be tried."""

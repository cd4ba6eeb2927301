"""Pages about cell suppression."""

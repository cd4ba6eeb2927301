"""Who each pseudonym could be: every customer whose rows explain the published ones."""

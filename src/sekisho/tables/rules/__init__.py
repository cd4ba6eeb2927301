"""Primary rules: which cells must not be published, and how far from the truth an attacker must stay."""

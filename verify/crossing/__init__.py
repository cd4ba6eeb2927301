"""Every method on records against every adversary: what the campaign `health_cross` tries and shows."""

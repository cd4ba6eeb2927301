"""What released records are still good for."""

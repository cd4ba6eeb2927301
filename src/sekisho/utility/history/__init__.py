"""What a released history is still good for."""

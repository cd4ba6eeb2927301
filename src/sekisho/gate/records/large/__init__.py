"""What needs methods and adversaries at once, on records beyond memory."""

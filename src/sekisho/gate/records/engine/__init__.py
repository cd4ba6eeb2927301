"""What needs methods, adversaries and files at once, on records beyond memory."""

"""Downcoding: what a generalised or hidden cell still can be, for one who knows how the release was made."""

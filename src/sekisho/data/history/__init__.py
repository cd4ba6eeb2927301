"""Histories: many rows a person."""

"""The pages: one story each."""

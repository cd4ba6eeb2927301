"""Engines of one machine: they read files where they lie and keep temporary ones in a folder."""

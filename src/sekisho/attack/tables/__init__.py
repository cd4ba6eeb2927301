"""Adversaries of tables whose rows are published without links: sample programs of contests, and better ones."""

"""Recipes as their files have them: keys, presets, and how methods and adversaries are made of them."""

"""Recipes for people as their files have them, and how they are made of them."""

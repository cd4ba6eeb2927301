"""Releases of one population read together: those that a recipe, a command or a register names."""

"""Keyed noise: perturbation tables, record and cell keys, and what the shown counts tell an attacker."""

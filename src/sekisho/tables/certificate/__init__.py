"""Certificates: what a stranger needs to check a suppression without trusting the optimiser."""

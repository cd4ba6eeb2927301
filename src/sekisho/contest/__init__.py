"""Contests as data: rules, submissions, the referee and what he alone may know."""

"""Adversaries of histories: whose rows are these?"""

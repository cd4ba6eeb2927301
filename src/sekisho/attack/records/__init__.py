"""Adversaries of records: which row is his, and is he among them at all?"""

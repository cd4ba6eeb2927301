"""Methods for tables that are released as texts, without links between their rows.

A method is a frozen value; ``apply(table, *, rng)`` gives a table of the same columns and leaves its input alone. These
serve contests over tables; recipes use those of :mod:`sekisho.protect`, which know the roles of columns.
"""

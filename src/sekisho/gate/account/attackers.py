"""Whom an account of tables speaks of: the attackers that a table can have, by name."""

from __future__ import annotations

from sekisho.words import Said

SHOWN_CELLS = Said("attacker|reader of the shown cells")
OUTSIDER = Said("attacker|outsider")
INSIDER = Said("attacker|single contributor")
OTHER_TABLES = Said("attacker|reader of the other tables")
MEASURES = Said("attacker|reader of the other measures")
METHOD = Said("attacker|reader who knows the method")
ALWAYS_POSSIBLE = (SHOWN_CELLS, OUTSIDER, METHOD)
"""Whom every table makes possible."""
ATTACKERS = (*ALWAYS_POSSIBLE, INSIDER, OTHER_TABLES, MEASURES)
"""Whom a table can be accounted for against; what else stands in an account is open."""

"""Japanese for the names that the program uses: columns, methods, adversaries.

A name without an entry is the same in both languages.
"""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.report.kit.words import Words
from sekisho.words import Said, join_words

NAMES: Mapping[str, Said] = {
    "customer": Said("name|customer"),
    "date": Said("name|date"),
    "item": Said("name|item"),
    "price": Said("name|price"),
    "quantity": Said("name|quantity"),
    "chance": Said("name|chance"),
    "containment": Said("name|containment"),
    "maximum-knowledge": Said("name|maximum knowledge"),
    "unique-rows": Said("name|unique rows"),
    "band": Said("name|band"),
    "calibrated": Said("name|calibrated"),
    "density": Said("name|density"),
    "farthest": Said("name|farthest"),
    "index": Said("name|index"),
    "largest-loss": Said("name|largest loss"),
    "mixture": Said("name|mixture"),
    "nearest": Said("name|nearest"),
    "nearest-all": Said("name|nearest all"),
    "nearest-cell": Said("name|nearest cell"),
    "partial-knowledge": Said("name|partial knowledge"),
    "posterior": Said("name|posterior"),
    "prosecutor": Said("name|prosecutor"),
    "random-partner": Said("name|random partner"),
    "swapback": Said("name|swapback"),
    "borrow": Said("name|borrow"),
    "code": Said("name|code"),
    "decoy": Said("name|decoy"),
    "delete": Said("name|delete"),
    "delete-extremes": Said("name|delete extremes"),
    "delete-random": Said("name|delete random"),
    "delete-small": Said("name|delete small"),
    "lattice": Said("name|lattice"),
    "microaggregate": Said("name|microaggregate"),
    "noise": Said("name|noise"),
    "partition": Said("name|partition"),
    "pram": Said("name|pram"),
    "randomise": Said("name|randomise"),
    "rankswap": Said("name|rankswap"),
    "recordswap": Said("name|recordswap"),
    "sample": Said("name|sample"),
    "suppress": Said("name|suppress"),
    "swap": Said("name|swap"),
    "coarsen": Said("name|coarsen"),
    "erase": Said("name|erase"),
    "groups": Said("name|groups"),
    "pseudonymise": Said("name|pseudonymise"),
    "similar-length": Said("name|similar length"),
}


def translate_name(name: str) -> Words:
    """Return a name in both languages, where Japanese has a word for it; what follows the name (``k=3``) stays."""
    first, _, rest = name.partition(" ")
    if first not in NAMES:
        return name
    behind = f" {rest}" if rest else ""
    return join_words((NAMES[first], behind)) if behind else NAMES[first]

"""Who the adversaries are and what they do, in a few plain words; a stranger's says nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.report.kit.words import Words
from sekisho.words import Said

DEEDS: Mapping[str, Said] = {
    "band": Said("names random rows that a record may have become by a middling change"),
    "chance": Said("names everybody at random"),
    "calibrated": Said("weighs every row by a calibrated likelihood"),
    "containment": Said("compares what people bought, and how often"),
    "density": Said("calls kept whoever has many rows within reach"),
    "farthest": Said("names the farthest rows that a record may have become"),
    "index": Said("lays known records along the order of the rows"),
    "largest-loss": Said("names the rows of the largest change within reach"),
    "maximum-knowledge": Said("has the whole original, and uses every cell"),
    "mixture": Said("names the farthest row, the most changed one and a random one"),
    "nearest": Said("names the nearest rows; who is far from all was deleted"),
    "nearest-all": Said("names the nearest rows for everybody"),
    "nearest-cell": Said("names a row whose cells lie nearest"),
    "partial-knowledge": Said("names whom his list and the release both have once"),
    "posterior": Said("names whom the mechanism makes most likely"),
    "prosecutor": Said("names a row that fits what he knows of a person"),
    "random-partner": Said("names random rows that a record may have become"),
    "composition": Said("reads the release together with earlier ones"),
    "unique-rows": Said("looks for rows that one person alone has"),
    "swapback": Said("undoes the swapping where it is most likely"),
}


def describe_adversary(name: str) -> Words:
    """Return what an adversary does; of one whom nobody described, nothing."""
    return DEEDS.get(name.partition(" ")[0], "–")

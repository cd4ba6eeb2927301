"""The 183 golden cases of the red team, by file and part: every case is in a part, and every part is asked for.

Whoever checks cases gets them from :func:`read_cases`; ``test_red_team_cases`` looks that nothing is left over.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Golden: TypeAlias = dict[str, Any]
Part: TypeAlias = Callable[[Golden], bool]


def _all(_: Golden) -> bool:
    return True


def _named(*beginnings: str) -> Part:
    return lambda case: case["id"].startswith(beginnings)


def _with(key: str) -> Part:
    return lambda case: key in case


PARTS: dict[str, dict[str, Part]] = {
    "attribute-interval": {"intervals": _with("hits"), "coverage": _named("coverage")},
    "composition-histories": {"all": _all},
    "composition-overlap": {"all": _all},
    "composition-records": {"all": _all},
    "composition-tables": {"all": _all},
    "downcode-lattice": {"one": _named("one-"), "sums": _named("all-")},
    "downcode-partition": {"ends": _named("end-"), "sums": _named("all-")},
    "downcode-suppress": {"one": _named("one-"), "sums": _named("all-")},
    "epsilon": {"matrices": _with("matrix"), "samples": _named("sampling-")},
    "guard-minimality": {"change": _named("change-"), "choice": _named("choice-"), "coins": _with("coin")},
    "households": {"all": _all},
    "membership": {
        "ratios": _with("releases"),
        "known others": _named("known-others"),
        "ties": _with("members"),
        "intervals": _named("interval-"),
    },
    "minimality-diversity": {"all": _all},
}
"""By file and part: which cases belong to it."""


def read_cases(find: Callable[[str], Path], file: str, part: str) -> list[Golden]:
    """Return the cases of a part of a file.

    Args:
        find: gives the path of a file of real data, or skips.
        file: without folder and ending.
        part: of the file.
    """
    cases: list[Golden] = json.loads(find(f"red-team/{file}.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if PARTS[file][part](case)]

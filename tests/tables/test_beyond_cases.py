"""Every case of the shared data on tables beyond suppression is asked for by some test of this folder or its command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = {
    "bounded-noise-intervals": 12,
    "cell-key-posterior": 12,
    "controlled-adjustment": 8,
    "controlled-rounding": 39,
    "dp-counts": 6,
    "nearest-rounding-unpicked": 4,
    "perturbation-tables": 30,
    "published-intervals": 5,
    "reconstruction": 8,
    "rounding-attack": 12,
    "small-count-rounding": 6,
}
"""How many cases each file has."""
ASKED = re.compile(r"""tables/beyond/([a-z-]+)\.json|read_cases\("([a-z-]+)"\)|cases\(shared, "([a-z-]+)"\)""")


def test_these_are_all_cases(shared: Callable[[str], Path]) -> None:
    folder = shared("tables/beyond")
    found = {path.stem: len(json.loads(path.read_text("utf-8"))["cases"]) for path in folder.glob("*.json")}
    assert found == CASES
    assert sum(found.values()) == 142


def test_every_file_is_asked_for_whole() -> None:
    """A reader of a file runs over all its cases: none takes a part of the list."""
    asked = set[str]()
    for path in [*sorted((TESTS / "tables").rglob("test_*.py")), *sorted((TESTS / "cli" / "table").glob("test_*.py"))]:
        if path == Path(__file__):
            continue
        text = path.read_text("utf-8")
        asked |= {name for match in ASKED.findall(text) for name in match if name}
        assert not re.search(r"""\["cases"\]\[|cases\[\d*:""", text), path.name
    assert asked == set(CASES)

"""One name, one meaning: no class name of ours stands in two modules."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import sekisho

SOURCE = Path(sekisho.__file__).parent
SHARED = set[str]()
"""Names that still have two homes; the list may only become shorter."""


def list_homes() -> dict[str, list[str]]:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    return homes


def test_a_class_name_has_one_home() -> None:
    several = {name: homes for name, homes in list_homes().items() if len(homes) > 1}
    assert {name: homes for name, homes in several.items() if name not in SHARED} == {}


def test_what_is_excused_is_still_shared() -> None:
    homes = list_homes()
    assert {name for name in SHARED if len(homes.get(name, ())) < 2} == set()

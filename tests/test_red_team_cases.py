"""Every golden case of the red team is in exactly one part, and some test or campaign asks for every part."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.red_team_cases import PARTS

ROOT = Path(__file__).parents[1]


def list_asked() -> Iterator[tuple[str, str]]:
    """Give file and part of every call of ``read_cases`` in tests and campaigns."""
    for path in (*sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "verify").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="read_cases"),
                    args=[_, ast.Constant(value=str() as file), ast.Constant(value=str() as part)],
                ):
                    yield file, part
                case _:
                    pass


def test_every_case_is_in_one_part(shared: Callable[[str], Path]) -> None:
    folder, total = shared("red-team"), 0
    assert sorted(path.stem for path in folder.glob("*.json")) == sorted(PARTS)
    for file, parts in PARTS.items():
        for case in json.loads((folder / f"{file}.json").read_text(encoding="utf-8"))["cases"]:
            assert sum(holds(case) for holds in parts.values()) == 1, (file, case["id"])
            total += 1
    assert total == 183


def test_every_part_is_asked_for() -> None:
    asked, known = set(list_asked()), {(file, part) for file, parts in PARTS.items() for part in parts}
    assert asked == known

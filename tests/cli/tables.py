"""A small table, and how the tests of the table commands run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

TABLE = "a,b,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"
HOW = ("--dims", "a,b", "--count", "n")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    status = status_of([*map(str, arguments), "--json"])
    out = capsys.readouterr().out
    return status, json.loads(out) if out.strip() else {}


def shown(source: Path, hidden: set[tuple[str, str]], primary: tuple[str, str]) -> str:
    """A pattern by hand: all cells of a two-way table, those hidden empty."""
    cells = {(a, b): int(n) for a, b, n in (line.split(",") for line in source.read_text().split()[1:])}
    total = dict[tuple[str, str], int]()
    for (a, b), n in cells.items():
        for key in ((a, b), (a, "Total"), ("Total", b), ("Total", "Total")):
            total[key] = total.get(key, 0) + n
    lines = ["a,b,n,status"]
    for key, n in total.items():
        word = "primary" if key == primary else "secondary" if key in hidden else "safe"
        lines.append(f"{key[0]},{key[1]},{'' if key in hidden else n},{word}")
    return "\n".join(lines) + "\n"

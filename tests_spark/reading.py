"""What the tests ask of the command line, and how they read what it wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of


def ask(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, dict[str, Any]]:
    """Return the status of a command and its answer."""
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def read_release(path: Path) -> pl.DataFrame:
    """Return a release, of one file or of a folder in the order of its files' names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return pl.concat([pl.read_parquet(file) for file in files])


def approximate(answer: object) -> object:
    """Return an answer whose numbers may differ by rounding."""
    if isinstance(answer, float):
        return pytest.approx(answer, rel=1e-9, abs=1e-12)
    if isinstance(answer, dict):
        return {key: approximate(value) for key, value in answer.items()}
    return [approximate(value) for value in answer] if isinstance(answer, list) else answer

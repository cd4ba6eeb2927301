"""Every notebook runs from its first cell to its last, and ends with the page of its run."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    return NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs_and_ends_with_a_page(path: Path, tmp_path: Path) -> None:
    last = execute(path, tmp_path).cells[-1]
    (shown,) = last.outputs
    assert "</h1>" in unescape(shown.data["text/html"])
    assert list(tmp_path.glob("*-gate/**/certificate.json"))


def test_there_is_a_notebook_for_every_shape() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["history", "records", "table"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]

"""Rows dealt to parts come back whole and in their order, however many parts there are."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sekisho.protect.records.streamed.streamed_recoding import PartFiles

PARTS = 200


@pytest.fixture
def few_files() -> Iterator[None]:
    """Let the process hold fewer files open than there are parts."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (PARTS // 2, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.usefixtures("few_files")
def test_there_may_be_more_parts_than_open_files(tmp_path: Path) -> None:
    files = PartFiles(tmp_path, PARTS, 2)
    rows = np.arange(1000)
    part = (rows * 7 % (PARTS - 1)).astype(np.int32)  # the last part has nothing
    packed = np.stack([rows, rows**2], axis=1).astype(np.uint64)
    for start in (0, 400):  # two blocks
        end = start + 400 if not start else len(rows)
        files.write(start, packed[start:end], part[start:end])
    for place in range(PARTS):
        blocks = list(files.read([place]))
        expected = np.flatnonzero(part == place)
        assert np.concatenate([np.zeros(0), *(where for where, _ in blocks)]).tolist() == expected.tolist()
        assert np.concatenate([np.zeros((0, 2)), *(words for _, words in blocks)]).tolist() == packed[expected].tolist()
    files.remove(range(PARTS))
    assert not list(tmp_path.iterdir())

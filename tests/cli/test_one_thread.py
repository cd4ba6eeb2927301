"""Threads that multiply matrices: one, unless whoever runs the command says otherwise."""

from __future__ import annotations

import os

import pytest

from sekisho.cli import main


@pytest.mark.parametrize(("before", "after"), [("", "1"), ("3", "3")])
def test_matrices_are_multiplied_by_one_thread_unless_it_is_said(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)
    if not before:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OPENBLAS_NUM_THREADS"] == after

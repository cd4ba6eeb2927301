"""Ctrl-C ends a question beyond memory with its own status, and leaves no temporary files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest


@pytest.mark.parametrize("engine", [("--engine", "polars"), ("--memory", "1GB")])
def test_a_long_question_can_be_interrupted(tmp_path: Path, engine: tuple[str, str]) -> None:
    path, folder = tmp_path / "some.parquet", tmp_path / "temporary"
    folder.mkdir()
    # 2^12 sets of keys are looked at, one after another: that takes minutes
    columns = {f"key{place}": [(row * (place + 3)) % 97 for row in range(20_000)] for place in range(12)}
    pl.DataFrame(columns).write_parquet(path)
    words = [
        sys.executable,
        "-m",
        "sekisho",
        "risk",
        str(path),
        "--keys",
        ",".join(columns),
        "--suda",
        "--json",
        *engine,
    ]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(folder)}
    ) as work:
        started = monotonic()
        while not list(folder.glob("sekisho.tmp-*")) and work.poll() is None and monotonic() - started < 60:
            sleep(0.05)
        sleep(1.0)
        assert work.poll() is None
        work.send_signal(signal.SIGINT)
        said, _ = work.communicate(timeout=60)
    assert (work.returncode, b"interrupted" in said) == (130, True)
    assert list(folder.iterdir()) == []

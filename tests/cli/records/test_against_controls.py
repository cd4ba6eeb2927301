"""``sekisho attack attribute`` and ``membership`` at the door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.cli.door import open_door


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "no": np.arange(900),
            "age": rng.integers(20, 60, 900),
            "town": rng.choice(["a", "b", "c"], 900),
            "pay": rng.integers(1000, 9000, 900),
            "ill": rng.choice(["flu", "gout", "none"], 900),
        }
    )
    for name, low, high in (("T", 0, 300), ("C", 300, 600), ("P", 600, 900)):
        frame[low:high].write_csv(tmp_path / f"{name}.csv")
    frame[:300].drop("no").write_csv(tmp_path / "R.csv")
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], name: str, files: Path, *more: str) -> tuple[int, dict[str, Any]]:
    named = [f"--{option}={files / file}.csv" for option, file in (("original", "T"), ("published", "R"))]
    controls = [] if any(word.startswith("--controls") for word in more) else [f"--controls={files / 'C'}.csv"]
    status = open_door(["attack", name, *named, *controls, "--id", "no", "--seed", "1", "--json", *more])
    return status, json.loads(capsys.readouterr().out)


def test_attribute(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    status, answer = ask(capsys, "attribute", files, "--keys", "age,town,pay", "--sensitive", "ill")
    assert (status, answer["claimed"], answer["hits"], answer["disclosed"]) == (0, 300, 300, 300)
    assert (answer["R"], answer["R_method"], answer["controls"]) == (1.0, "exact", 300)
    assert answer["R_interval"][0] > 0.9
    status, answer = ask(capsys, "attribute", files, "--keys", "age,town", "--sensitive", "pay", "--within", "10%")
    assert status == 0
    assert answer["hits"] > answer["control_hits"]


def test_membership(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    status, answer = ask(capsys, "membership", files, f"--reference={files / 'P'}.csv")
    assert (status, answer["score"], answer["members"], answer["controls"]) == (0, "ratio", 300, 300)
    assert answer["area"] > 0.99
    assert [rate["fpr"] for rate in answer["at"]] == [0.1, 0.01, 0.001]
    assert answer["at"][2]["controls_needed"] == 1000
    status, answer = ask(capsys, "membership", files, "--mechanism", "fixed")
    assert (status, answer["absent"]) == (0, answer["controls"])


@pytest.mark.parametrize(
    ("name", "more", "word"),
    [
        ("attribute", ("--sensitive", "pay"), "fixed before"),
        ("attribute", ("--sensitive", "ill", "--controls", "T.csv"), "other file"),
        ("membership", ("--reference", "C.csv"), "reference"),
        ("membership", ("--mechanism", "noise:x"), "noise:age=1"),
        ("attribute", ("--sensitive", "nothing"), "nothing"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], files: Path, name: str, more: tuple[str, ...], word: str
) -> None:
    words = [
        f"--{one.lstrip('-')}={files / two}" if two.endswith(".csv") else f"{one}={two}"
        for one, two in zip(more[::2], more[1::2], strict=True)
    ]
    status, answer = ask(capsys, name, files, *words)
    assert status == 2
    assert word in answer["error"]

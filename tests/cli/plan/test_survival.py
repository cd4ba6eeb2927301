"""``plan survival`` tells on the terminal what its pictures show: every figure that the JSON holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sekisho.cli import status_of

WORDS = ("plan", "survival", "--people", "60", "--raw", "0-1", "--k", "2,3")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert status_of(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_figure_stands_on_the_terminal(capsys: pytest.CaptureFixture[str], language: str) -> None:
    answer: dict[str, Any] = json.loads(run(capsys, *WORDS, "--json"))
    lines = [line.split() for line in run(capsys, *WORDS, "--language", language).splitlines()]
    for each in answer["mixtures"]:
        for bound in ("union", "exact"):
            plan = each[bound]
            figures = [str(each["k"]), str(each["raw"])]
            rest = [str(plan["claimed"]), str(plan["threshold"]), f"{plan['chance']:.4g}", f"{plan['survival']:.4f}"]
            assert any(line[:2] == figures and line[3:] == rest for line in lines), (figures, bound, rest)
    assert any("0.0730" in word or word == "0.073" for line in lines for word in line)  # the report's footnote

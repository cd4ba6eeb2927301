"""A release that is safe alone and unsafe together with one that left before is refused at the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.cli import status_of

PEOPLE = "age,town,illness\n31,a,cold\n34,a,hiv\n33,b,burn\n31,b,gout\n"
EARLIER = "age,town,illness\n[31;32],{a;b},hiv\n[31;32],{a;b},flu\n[33;34],{a;b},burn\n[33;34],{a;b},flu\n"
RELEASE = "age,town,illness\n[31;34],a,cold\n[31;34],a,hiv\n[31;34],b,burn\n[31;34],b,gout\n"
RECIPE = """shape = "records"
original = "people.csv"
keys = ["age", "town"]
sensitive = ["illness"]
risk = 0.5
[[releases]]
file = "R2.csv"
ordered = true
[[adversaries]]
name = "composition"
published = ["{earlier}"]
stable = ["illness"]
[guarantees]
k = 2
"""


@pytest.mark.parametrize(("earlier", "status"), [("R1.csv", 1), ("R2.csv", 3)])
def test_what_left_before_decides(
    earlier: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("people.csv", PEOPLE), ("R1.csv", EARLIER), ("R2.csv", RELEASE)):
        Path(name).write_text(text)
    Path("gate.toml").write_text(RECIPE.format(earlier=earlier))
    assert status_of(["gate", "gate.toml", "--out", "out", "--seed", "1"]) == status
    answer = capsys.readouterr().out
    assert ("safe alone, unsafe together" in answer) is (status == 1)
    assert "earlier releases: together with 1 earlier release" in answer

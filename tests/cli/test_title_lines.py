"""A title and notes around the table of an original are not in what was made from it: no row of a release is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

SCHEMA = """shape = "records"
[file]
encoding = "cp932"
header = true
header_line = 2
footer_lines = 1
[[columns]]
name = "番号"
role = "identifier"
[[columns]]
name = "生年"
role = "quasi"
[[columns]]
name = "町"
role = "quasi"
[[columns]]
name = "病名"
role = "sensitive"
"""
TOWNS, ILLS = ("北町", "南町"), ("なし", "喘息", "痛風")
MONTH = """schema = "schema.toml"
original = "{month}.csv"
seed = 1
[guarantees]
k = 3
l = 2
[[methods]]
name = "partition"
k = 3
sensitive = "病名"
l = 2
[register]
folder = "rel"
key = "rel.key"
population = "患者"
stable = ["病名"]
like_last = true
"""


def write_people(place: Path, first: int, size: int) -> None:
    rows = [
        f"{n:05d},昭和{20 + n % 8}年,{TOWNS[n % 2]},{ILLS[n // 8 % 3] if n % 11 else ''}"
        for n in range(first, first + size)
    ]
    text = "\r\n".join(["令和7年度 患者一覧,,,", "番号,生年,町,病名", *rows, "以上,,,"]) + "\r\n"
    place.write_bytes(text.encode("cp932"))


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    for name, first, size in (("p1", 0, 96), ("p2", 0, 96), ("others", 200, 48), ("more", 300, 48)):
        write_people(tmp_path / f"{name}.csv", first, size)
    return tmp_path


def ask(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of([*line.split(), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_every_attack_reads_the_whole_release(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = "--schema schema.toml --keys 生年,町 --k 20 --sensitive 病名 --l 2 --seed 1"
    assert ask(f"protect partition p1.csv {made} --out R1.csv", capsys)[0] == 0
    rows = (office / "R1.csv").read_bytes().decode("cp932").splitlines()
    assert len(rows) == 97  # a header and everybody
    beside = "--published R1.csv --original p1.csv --schema schema.toml --keys 生年,町"
    status, told = ask(f"attack downcode {beside} --method partition --k 20 --in-order --people others", capsys)
    assert (status in {0, 1}, told["cells"]) == (True, sum(row.count("{") for row in rows))
    assert told["cells"]
    _, told = ask(f"attack attribute {beside} --controls others.csv --sensitive 病名 --seed 1", capsys)
    assert told["claimed"] == 96 - 9  # one in eleven has no illness written
    _, told = ask(f"attack membership {beside} --controls others.csv --reference more.csv --seed 1", capsys)
    assert (told["members"], told["controls"]) == (96, 48)


def test_the_next_month_is_attacked_together_with_the_whole_last_one(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("register start rel --key rel.key", capsys)[0] == 0
    for month in ("p1", "p2"):  # the same people in the same classes: nothing is lost
        (office / f"{month}.toml").write_text(MONTH.format(month=month), encoding="utf-8")
        assert ask(f"gate {month}.toml --out out-{month}", capsys)[0] == 0
    status, told = ask("register list rel", capsys)
    assert status == 0
    assert [(one["least_alone"], one["least_joint"]) for one in told["least_over_time"]] == [(12, 12), (12, 12)]

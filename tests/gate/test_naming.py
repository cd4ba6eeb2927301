"""A column that names people never leaves, in any shape, unless the recipe says so by name with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.errors import SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.journey.run import pass_gate

FAMILY = ("伊藤", "佐藤", "鈴木", "高橋", "田中", "渡辺")
GIVEN = ("翔太", "美咲", "葵", "健太", "結衣")


def write_people(folder: Path, *, rows: int = 120, name: str = "氏名") -> Path:
    """Write people of 30 names, and a recipe that would release these in sets; return the recipe."""
    lines = [
        f"{FAMILY[n % 6]}　{GIVEN[n % 5]},{20 + n % 7},{'fm'[n % 2]},{('flu', 'cold', 'none')[n % 3]}"
        for n in range(rows)
    ]
    (folder / "people.csv").write_text("\n".join([f"{name},age,sex,illness", *lines]) + "\n", encoding="utf-8")
    (folder / "schema.toml").write_text(
        'shape = "records"\n'
        + "".join(f'[[columns]]\nname = "{each}"\n' for each in (name, "age", "sex"))
        + '[[columns]]\nname = "illness"\nrole = "sensitive"\n',
        encoding="utf-8",
    )
    return folder / "recipe.toml"


RECIPE = (
    'original = "people.csv"\nschema = "schema.toml"\nseed = 1\n[[methods]]\nname = "partition"\nk = 5\neffort = 0.1\n'
)
SAID = (
    '[unit]\nrow = "two people may share a name here, and each has one row"\n'
    '[learnable]\nillness = "who is ill is known to everybody in this town"\n'
)
GUARANTEES = "[guarantees]\nk = 5\n" + SAID


def test_names_in_sets_are_reviewed_and_named(tmp_path: Path) -> None:
    recipe = write_people(tmp_path)
    recipe.write_text(RECIPE + GUARANTEES)
    result = pass_gate(recipe)
    assert result.verdict is Verdict.REVIEW
    assert [one.as_dict() for one in result.reasons] == [
        {"rule": "identifying column", "verdict": "review", "detail": "氏名 names people, as its header says (氏名)"}
    ]


def test_no_policy_lets_names_leave(tmp_path: Path) -> None:
    recipe = write_people(tmp_path)
    recipe.write_text(RECIPE + GUARANTEES + '[policy]\n"identifying column" = "release"\n')
    with pytest.raises(SettingsError, match=r"policy\.identifying column must be review at least"):
        read_recipe(recipe)


def test_a_column_leaves_by_name_with_a_reason_that_everybody_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write_people(tmp_path)
    why = "these people signed that they may be named"
    recipe.write_text(RECIPE + GUARANTEES + f'[allowed_columns]\n"氏名" = "{why}"\n')
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "out"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], [one["rule"] for one in answer["reasons"]]) == ("release", ["allowed column"])
    assert why in answer["reasons"][0]["detail"]
    certificate = Certificate.read(tmp_path / "out" / "public" / "certificate.json")
    assert certificate.recipe["allowed_columns"] == {"氏名": why}
    assert [(one.rule, one.detail) for one in certificate.reasons] == [
        ("allowed column", f"氏名 leaves though it names people, because: {why}")
    ]
    for edition in ("public", "confidential"):
        page = (tmp_path / "out" / edition / "report.html").read_text(encoding="utf-8")
        assert f"氏名 leaves though it names people, because: {why}" in page
        assert f"氏名：{why}" in page
    checked = verify_certificate(tmp_path / "out" / "public" / "certificate.json")
    assert checked.valid


def test_allowances_without_a_reason_or_without_a_column_are_refused(tmp_path: Path) -> None:
    recipe = write_people(tmp_path)
    recipe.write_text(RECIPE + GUARANTEES + '[allowed_columns]\n"氏名" = " "\n')
    with pytest.raises(
        SettingsError,
        match=r"allowed_columns\.氏名 must be the reason why it may leave, in words of at least 20 letters",
    ):
        read_recipe(recipe)
    recipe.write_text(RECIPE + GUARANTEES + '[allowed_columns]\nnome = "the people concerned agreed in writing"\n')
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "out")]) == 2


def test_an_allowance_that_nothing_needs_is_told(tmp_path: Path) -> None:
    recipe = write_people(tmp_path)
    recipe.write_text(
        RECIPE
        + GUARANTEES
        + '[allowed_columns]\n"氏名" = "the people concerned agreed in writing"\nage = "the people concerned agreed in writing"\n'
    )
    assert [(one.rule, one.verdict) for one in pass_gate(recipe).reasons] == [
        ("allowed column", Verdict.RELEASE),
        ("needless allowance", Verdict.RELEASE),
    ]


def test_a_history_and_a_table_do_not_name_people_either(tmp_path: Path) -> None:
    rows = [
        f"c{who},2024-01-{1 + (who * 5 + row * 11) % 28:02d},{'AB'[row % 2]},{1 + row},{GIVEN[who % 5].replace('葵', '誠')} 様"
        for who in range(16)
        for row in range(4)
    ]
    (tmp_path / "sales.csv").write_text("\n".join(["customer,date,item,price,お名前", *rows]) + "\n", encoding="utf-8")
    kinds = {"customer": "category", "date": "date", "item": "category", "price": "integer", "お名前": "category"}
    (tmp_path / "schema.toml").write_text(
        'shape = "history"\n'
        + "".join(
            f'[[columns]]\nname = "{name}"\nkind = "{kind}"\n' + ('role = "identifier"\n' if name == "customer" else "")
            for name, kind in kinds.items()
        ),
        encoding="utf-8",
    )
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'original = "sales.csv"\nschema = "schema.toml"\nseed = 1\n[[methods]]\nname = "groups"\nk = 7\n'
        '[[adversaries]]\nname = "chance"\n'
    )
    result = pass_gate(recipe)
    assert "identifying column" in {one.rule for one in result.reasons}
    assert result.verdict is not Verdict.RELEASE
    whose = ("Anna Weber", "Boris Klein", "Clara Roth")
    cells = [f"{who},{part},{10 + 3 * place + ord(part) % 7}" for place, who in enumerate(whose) for part in "xyz"]
    (tmp_path / "cells.csv").write_text("\n".join(["desk,part,n", *cells]) + "\n")
    recipe.write_text('shape = "table"\noriginal = "cells.csv"\ndims = ["desk", "part"]\ncount = "n"\n')
    table = pass_gate(recipe)
    assert [one.detail for one in table.reasons] == ["desk names people: it holds names of people"]
    recipe.write_text(recipe.read_text() + '[allowed_columns]\ndesk = "their figures are public by law"\n')
    assert pass_gate(recipe).verdict is Verdict.RELEASE


@pytest.mark.parametrize(
    "asked", ["k = 1", "k = 5\nl = 1", "k = 5\nt = 1.0", "highest = 1.0", "k = 5\nindividual = 1.0\n"]
)
def test_a_guarantee_that_every_file_keeps_is_refused(tmp_path: Path, asked: str) -> None:
    recipe = write_people(tmp_path)
    recipe.write_text(RECIPE + f"[guarantees]\n{asked}\n")
    with pytest.raises(SettingsError, match=r"guarantees\.(k|l|t|highest|individual) must"):
        read_recipe(recipe)


@pytest.mark.parametrize("more", ["", "risk = 0.9\n"])
def test_the_raw_file_does_not_leave_because_nobody_asked_for_more(tmp_path: Path, more: str) -> None:
    recipe = write_people(tmp_path, name="height")
    text = (tmp_path / "people.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{150 + n % 40},{line.partition(',')[2]}" for n, line in enumerate(text[1:])]
    (tmp_path / "people.csv").write_text("\n".join([text[0], *rows]) + "\n", encoding="utf-8")
    recipe.write_text(more + RECIPE.replace("k = 5", "k = 1"))
    result = pass_gate(recipe)
    assert [one.verdict for one in result.reasons if one.rule == "open account"] == [Verdict.REVIEW]
    assert result.best is not None
    assert {entry.subject for entry in result.best.account.open_entries} == {"height", "age", "sex", "illness"}
    assert result.verdict is not Verdict.RELEASE


def test_every_sensitive_column_that_init_finds_is_protected(tmp_path: Path) -> None:
    rows = [f"{20 + n % 40},{'fm'[n % 2]},{'yes' if n % 4 == 0 else 'no'},E{n * 7 % 5}" for n in range(300)]
    (tmp_path / "own.csv").write_text("\n".join(["age,sex,smoking,icd10", *rows]) + "\n")
    assert status_of(["init", str(tmp_path / "own.csv"), "--out", str(tmp_path / "r.toml")]) == 0
    result = pass_gate(tmp_path / "r.toml", seed=1)
    statements = {one.subject: one.standing.value for one in result.best.statements} if result.best else {}
    assert {statements[f"l-diversity of {name}"] for name in ("smoking", "icd10")} == {"proven"}
    assert result.verdict is Verdict.RELEASE
    public = result.public["report.html"].decode()
    assert "fewest sensitive values of a class (l)" in public
    assert "l-diversity of icd10" in public

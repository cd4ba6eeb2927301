"""Beside a register: the classes of the last release tried again, and whom a release endangers left out on request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from tests.journey.test_registering import SCHEMA, write_recipe

from sekisho.data.files.published_frame import publish_values
from sekisho.errors import SettingsError
from sekisho.gate.outcome import Verdict
from sekisho.gate.register.book import Register
from sekisho.journey.result import GateResult
from sekisho.journey.run import pass_gate

MADE = "2026-01-31T00:00:00Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Register.start_with_key(tmp_path / "rel", tmp_path / "rel.key", made=MADE)
    return tmp_path


def test_the_classes_of_the_last_release_are_tried_again(folder: Path) -> None:
    recipes = [write_recipe(folder, turn) for turn in range(2)]
    recipes[1].write_text(recipes[1].read_text(encoding="utf-8") + "like_last = true\n", encoding="utf-8")
    pass_gate(recipes[0], out=folder / "a")
    again = pass_gate(recipes[1], out=folder / "b")
    assert again.outcome is not None
    tried = {each.label: each for each in again.outcome.candidates}
    assert set(tried) == {"partition k=4", "like last"}
    last = tried["like last"]
    assert "guarantee broken" not in {reason.rule for reason in last.reasons}
    assert tried["partition k=4"].verdict is Verdict.REFUSE
    first = {tuple(line.split(",")[:2]) for line in (folder / "a/public/release.csv").read_text().splitlines()[1:]}
    assert figures_of(again, "like last")["least_joint"] >= figures_of(again, "partition k=4")["least_joint"]
    shown = publish_values(last.release).frame
    assert {tuple(map(str, row)) for row in shown.select("age", "town").iter_rows()} <= first


FEW = (
    # month 0: four in the north with four illnesses, three in the south with one; then 0000 moves south
    ("0000,30,n,x", "0001,30,n,u", "0002,30,n,v", "0003,30,n,w", "0004,30,s,y", "0005,30,s,y", "0006,30,s,y"),
    ("0000,30,s,x", "0001,30,n,u", "0002,30,n,v", "0003,30,n,w", "0004,30,s,y", "0005,30,s,y", "0006,30,s,y"),
)


NOBODY_KNOWS_WHO_LEFT = '[policy]\n"left or came" = "release"\n'


def write_few(folder: Path, turn: int, *, k: int = 3, extra: str = "", policy: str = "") -> Path:
    """Write the few people of a month and their recipe."""
    recipe = write_recipe(folder, turn, method='name = "partition"\nk = 3', extra=policy)
    (folder / f"m{turn}.csv").write_text("\n".join(["番号,age,town,illness", *FEW[turn]]) + "\n", encoding="utf-8")
    text = recipe.read_text(encoding="utf-8").replace("[guarantees]\nk = 4", f"[guarantees]\nk = {k}")
    recipe.write_text(f"{text}{extra}", encoding="utf-8")
    return recipe


@pytest.mark.parametrize("label", ["like last", "partition k=3"])
@pytest.mark.parametrize(
    ("extra", "rows", "least"),
    [
        ("", 7, 1),  # of x there is one row in the north and one in the south
        ("leave_out = 0.1\n", 7, 1),  # a tenth of seven is nobody
        # without 0000: u v w, and y y y; but his row is now all that release 1 has and this one has not
        ("leave_out = 0.2\n", 6, 3),
    ],
)
def test_whoever_would_stand_alone_together_is_left_out_on_request(
    folder: Path, label: str, extra: str, rows: int, least: int
) -> None:
    pass_gate(write_few(folder, 0), out=folder / "a")
    last_classes = "like_last = true\n" if label == "like last" else ""
    again = pass_gate(write_few(folder, 1, extra=last_classes + extra), out=folder / "b")
    assert again.outcome is not None
    chosen = next(each for each in again.outcome.candidates if each.label == label)
    assert (int((~chosen.release.deleted).sum()), figures_of(again, label)["least_joint"]) == (rows, least)
    assert chosen.verdict is Verdict.REFUSE
    (against,) = [reason.detail for reason in chosen.reasons if reason.rule == "unsafe together"]
    assert "1 row stands in release 1 and not in this release, fewer than 3" in against
    assert ("candidates once release 1 is read beside it" in against) == (rows == 7)
    assert chosen.release.detail.get("left_out", 0) == 7 - rows
    assert len(Register.open(folder / "rel").entries) == 1


def test_who_lives_with_somebody_left_out_is_left_out_and_classes_that_become_small(folder: Path) -> None:
    # 0000 lives with 0004: without both the south is two, who go as well; 4 of 7 are left out, the north stays
    schema = SCHEMA + '[[columns]]\nname = "home"\nrole = "household"\n'
    homes = ("h1", "h2", "h3", "h4", "h1", "h5", "h6")
    verdicts: list[Verdict] = []
    for turn, share in ((0, "0.2"), (1, "0.5"), (1, "0.6")):
        recipe = write_few(folder, turn, extra=f"leave_out = {share}\n", policy=NOBODY_KNOWS_WHO_LEFT)
        (folder / "schema.toml").write_text(schema, encoding="utf-8")
        lines = [f"{line},{home}" for line, home in zip(FEW[turn], homes, strict=True)]
        (folder / f"m{turn}.csv").write_text("\n".join(["番号,age,town,illness,home", *lines]) + "\n")
        result = pass_gate(recipe, out=folder / f"o{share}")
        verdicts.append(result.certificate.verdict)
    assert verdicts == [Verdict.RELEASE, Verdict.REFUSE, Verdict.RELEASE]
    assert [each.columns.household for each in Register.open(folder / "rel").entries] == ["home", "home"]
    shown = (folder / "o0.6" / "public" / "release.csv").read_text().split()
    assert sorted(line.split(",")[1] for line in shown[1:]) == ["n"] * 3


@pytest.mark.parametrize(("share", "verdict"), [("0.2", Verdict.REFUSE), ("0.5", Verdict.RELEASE)])
def test_classes_stay_as_large_as_their_method_promises_where_somebody_is_left_out(
    folder: Path, share: str, verdict: Verdict
) -> None:
    # the method promises 4, the recipe asks for 3: without 0000 the south has 3, so that all four of the south go
    north = [f"000{place},30,n,{illness}" for place, illness in enumerate("xuvwz")]
    south = [f"000{place},30,s,y" for place in range(5, 9)]
    months = ([*north, *south], ["0000,30,s,x", *north[1:], *south[:3]])
    for turn, extra in ((0, ""), (1, f"leave_out = {share}\n")):
        recipe = write_few(folder, turn, extra=extra, policy=NOBODY_KNOWS_WHO_LEFT)
        recipe.write_text(recipe.read_text(encoding="utf-8").replace('"partition"\nk = 3', '"partition"\nk = 4'))
        (folder / f"m{turn}.csv").write_text("\n".join(["番号,age,town,illness", *months[turn]]) + "\n")
        result = pass_gate(recipe, out=folder / f"o{turn}")
    assert result.certificate.verdict is verdict
    shown = [
        line.split(",")[1] for path in (folder / "o1" / "public").glob("*.csv") for line in path.read_text().split()
    ]
    assert shown == ([] if verdict is Verdict.REFUSE else ["town", *"nnnn"])


def test_leaving_out_ends_where_it_would_take_more_than_is_allowed(folder: Path) -> None:
    pass_gate(write_few(folder, 0), out=folder / "a")
    # four wanted: without 0000 the south has three, then two, ... all four fall, and three of the north did before
    again = pass_gate(write_few(folder, 1, k=4, extra="like_last = true\nleave_out = 0.5\n"), out=folder / "b")
    assert again.certificate.verdict is Verdict.REFUSE
    with pytest.raises(SettingsError, match="share"):
        pass_gate(write_few(folder, 1, extra="like_last = true\nleave_out = 1.0\n"), out=folder / "d")


def test_people_who_are_not_known_again_are_counted_where_rows_are_left_out(folder: Path) -> None:
    pass_gate(write_few(folder, 0), out=folder / "a")
    recipe = write_few(folder, 1, extra="like_last = true\n")
    (folder / "schema.toml").write_text(SCHEMA.replace('[[columns]]\nname = "番号"\nrole = "identifier"\n', ""))
    rows = [line.partition(",")[2] for line in FEW[1]]
    rows[0] = rows[0].replace("30", "31")  # fits no class of the last release
    (folder / "m1.csv").write_text("\n".join(["age,town,illness", *rows]) + "\n")
    again = pass_gate(recipe, out=folder / "b")
    assert again.outcome is not None
    last = next(each for each in again.outcome.candidates if each.label == "like last")
    rules = {reason.rule for reason in last.reasons}
    assert "people assumed" in rules
    assert "together not promised" not in rules  # everybody is looked for in the classes that admit his own keys
    assert last.release.deleted.tolist() == [True] + [False] * 6
    assert figures_of(again, "like last")["least_joint"] == 3  # u v w, and y y y


def figures_of(result: GateResult, label: str) -> Mapping[str, int]:
    """Return what a candidate gives away together with what left before."""
    assert result.outcome is not None
    chosen = next(each for each in result.outcome.candidates if each.label == label)
    return cast("Mapping[str, int]", next(each.figures for each in chosen.statements if each.subject == "together"))

"""The campaign of bad uploads sees what it looks for: a bad file that is taken, or told to be bad elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from tests.server.contest.conftest import POSTGRES

from bad_uploads.cases import Case, change_cell
from bad_uploads.desks import Desk, make_records, open_desk
from bad_uploads.spoiling import draw_cases
from sekisho.seeds import Seed
from server_bad_uploads import Figures, score_again


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("bad")
    rules, release, original = make_records(folder / "rules")
    with open_desk(folder / "records", POSTGRES, rules, release, original) as made:
        made.guess = {"guess": b"-1,-1,-1\n" * 9}
        yield made


def judge(
    desk: Desk, files: dict[str, bytes], place: tuple[int, str] | None = None, rules: frozenset[str] = frozenset()
) -> Figures:
    figures = Figures()
    figures.judge(desk, Case(name="one", kind="release", files=files, place=place, rules=rules))
    return figures


def test_a_bad_file_is_refused_at_its_place(desk: Desk) -> None:
    bad = desk.release | {"released": change_cell(desk.release["released"], 3, 1, "old")}
    figures = judge(desk, files=bad, place=(3, "age"))
    assert (figures.refused, figures.misplaced, figures.different) == (1, [], [])
    assert judge(desk, files=bad, place=(4, "age")).misplaced
    assert judge(desk, files=bad, place=(3, "bmi")).misplaced
    assert judge(desk, files=bad, rules=frozenset({"rows"})).without_rule


def test_a_good_file_is_taken(desk: Desk) -> None:
    assert judge(desk, files=desk.release).taken == ["1 one"]


def test_what_is_spoilt_by_chance_is_refused(desk: Desk) -> None:
    figures = Figures()
    drawn = ((to, case) for to, case in draw_cases(desk, desk, Seed(5).rng()) if "record" in case.name)
    for to, case in islice(drawn, 10):
        figures.judge(to, case)
    assert (figures.refused, figures.misplaced, figures.different) == (10, [], [])


def test_the_same_file_is_scored_to_the_same_bytes(desk: Desk) -> None:
    answer = desk.hand_in("attack", desk.guess)
    desk.score(int(answer.json()["entry"]), desk.last_team)
    assert score_again(desk, 3) == {"release": 1, "attack": 1}
    assert max(desk.statuses) < 500

"""A team's entries have its own numbers: nothing that it can read counts what others hand in."""

from __future__ import annotations

import re

import pytest
from fastapi import HTTPException
from hypothesis import given
from hypothesis import strategies as st
from tests.server.contest.cup_site import CupSite
from tests.server.contest.pages.visits import TEAM
from tests.server.contest.routes.test_access import MATRIX, MEMBER

from sekisho.contest.state import ContestEntry, ContestState
from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.routes.numbering import number_entries

NUMBERS = re.compile(
    r'"(?:entry|counts_now)":(\d+)|/(?:entries|submissions)/(\d+)|[>\s]#([1-9]\d?)\b|(?:entry|receipt)-(\d+)[-.]'
)
VOLATILE = re.compile(
    r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?|name="key" value="[^"]*"|class="countdown".*?</span>'
    r"|\d+ days? \d+:\d+:\d+"
)
REFEREE = Principal(role=AccountRole.REFEREE)


def be(team: str) -> Principal:
    return Principal(role=AccountRole.MEMBER, team=team)


def hold(teams: list[str]) -> ContestState:
    """Return a contest into which teams handed files in this order."""
    entries = tuple(
        ContestEntry(number=number, at="", team=team, round="final", files={})
        for number, team in enumerate(teams, start=1)
    )
    return ContestState(entries=entries)


@given(teams=st.lists(st.sampled_from("abc"), max_size=30))
def test_numbers_are_ones_own_count_in_whatever_order_others_come(teams: list[str]) -> None:
    state = hold(teams)
    for team in "abc":
        own = [entry for entry in state.entries if entry.team == team]
        numbering = number_entries(state, be(team))
        assert [numbering.show(entry) for entry in own] == list(range(1, len(own) + 1))
        assert [numbering.find(number) for number in range(1, len(own) + 1)] == own
        alone = number_entries(hold([each for each in teams if each == team]), be(team))
        assert len(alone.entries) == len(own)
        for number in range(len(own) + 1, len(teams) + 2):
            with pytest.raises(HTTPException) as refused:
                numbering.find(number)
            assert refused.value.status_code == 403
    everything = number_entries(state, REFEREE)
    assert [everything.show(entry) for entry in state.entries] == [entry.number for entry in state.entries]
    assert number_entries(state, Principal(role=AccountRole.SPECTATOR)).entries == ()


def read_everything(cup: CupSite) -> dict[str, str]:
    """Return whatever team raw can read, with the headers that name files, moments and drawn tokens aside."""
    paths = {call.path or path for (method, path), call in MATRIX.items() if method == "GET" and MEMBER in call.may}
    paths |= {*TEAM, "/api/v1/matrix?round=practice", "/matrix?round=practice", "/targets/practice/pairs"}
    paths |= {f"/api/v1/submissions/{number}{more}" for number in range(1, 12) for more in ("", "/receipt")}
    answers = {path: cup.call("raw", "GET", path) for path in sorted(paths) if "{" not in path}
    return {
        f"{each.status_code} {path}": VOLATILE.sub("", f"{each.headers.get('content-disposition', '')}\n{each.text}")
        for path, each in answers.items()
    }


def hand_nonsense_in(cup: CupSite, times: int) -> None:
    """Let pairs hand invalid files in: they change nothing of what others may attack."""
    for _ in range(times):
        assert cup.submit("pairs", b"1\n", round_name="practice").status_code == 201
    cup.worker.drain()


def test_nothing_that_a_team_reads_counts_the_files_of_others(cup: CupSite) -> None:
    cup.open("practice")
    assert cup.submit("pairs", cup.materials["pairs"], round_name="practice").json()["entry"] == 1
    hand_nonsense_in(cup, 2)
    assert cup.submit("raw", cup.materials["raw"], round_name="practice", key="mine").json()["entry"] == 1
    hand_nonsense_in(cup, 2)
    attack = cup.materials["attack on pairs"]
    assert cup.attack("raw", "pairs", attack, round_name="practice").json()["entry"] == 2
    cup.worker.drain()
    before = read_everything(cup)
    hand_nonsense_in(cup, 3)
    assert read_everything(cup) == before
    texts = [text for path, text in before.items() if path.startswith("200 ")]  # a refusal repeats what was asked for
    shown = {int(number) for text in texts for each in NUMBERS.findall(text) for number in each if number}
    assert shown == {1, 2}
    again = cup.submit("raw", cup.materials["more"], round_name="practice", key="mine")
    assert (again.status_code, again.json()["rule"]) == (409, "key")
    assert not re.search(r"entry \d|\d 番", again.text)
    receipt = cup.submit("raw", cup.materials["more"], round_name="practice").json()
    assert (receipt["entry"], receipt["ledger_lines"]) == (3, None)
    assert [entry.number for entry in cup.site.book.read().state.entries if entry.team == "raw"] == [4, 7, 11]


def test_the_referee_and_a_team_mean_the_same_file_by_different_numbers(cup: CupSite) -> None:
    cup.open("practice")
    for team in ("pairs", "raw"):
        cup.submit(team, cup.materials[team], round_name="practice")
    cup.worker.drain()
    own = cup.call("raw", "GET", "/api/v1/submissions/1").json()
    seen = cup.call("referee", "GET", "/api/v1/submissions/2").json()
    assert (own["entry"], own["counts_now"], seen["entry"], seen["counts_now"]) == (1, 1, 2, 2)
    assert own["files"] == seen["files"]
    assert cup.call("raw", "GET", "/api/v1/submissions/2").status_code == 403
    assert cup.call("referee", "GET", "/api/v1/submissions/3").status_code == 404

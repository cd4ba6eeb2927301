"""Who may read what, and when: every route that gives something away, every role, every stage, from one table.

The table below is written by hand from what the contest promises; the stages are played one after another, and at each
of them every role asks every route. A stranger's answer that holds a file, a standing or a score before its time fails,
and so does a team that is not given what is its own by now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.server.contest.cup_site import TEAMS, CupSite

from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import DISCLOSURES, Audience, Thing, may_read

PRELIMINARY, FINAL = "preliminary", "final"
NOBODY, SPECTATOR, OWNER, OTHER, REFEREE = "", "spectator", "raw", "pairs", "referee"
ROLES = (NOBODY, SPECTATOR, OWNER, "raw-captain", OTHER, REFEREE)
STAGES = (
    "registration",
    "practice",
    "practised",
    "anonymise preliminary",
    "published preliminary",
    "attack preliminary",
    "revealed preliminary",
    "anonymise final",
    "published final",
    "attack final",
    "evaluate final",
    "revealed",
    "withdrawn",
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A thing of a round, where it is, and the stages at which its time has come."""

    thing: Thing
    round: str
    path: str
    stages: frozenset[str]


def since(first: str, last: str = STAGES[-1]) -> frozenset[str]:
    return frozenset(STAGES[STAGES.index(first) : STAGES.index(last) + 1])


REVEALED = since("revealed", "revealed")
ASKED = (
    # an original goes out when its round opens; practice is on the data of the first round
    Asked(thing=Thing.ORIGINAL, round=PRELIMINARY, path="rounds/preliminary/original", stages=since("practice")),
    Asked(thing=Thing.ORIGINAL, round=PRACTICE_ROUND, path="rounds/practice/original", stages=since("practice")),
    Asked(thing=Thing.ORIGINAL, round=FINAL, path="rounds/final/original", stages=since("anonymise final")),
    Asked(
        thing=Thing.PUBLISHED, round=PRACTICE_ROUND, path="targets/practice/raw/published", stages=since("practised")
    ),
    Asked(
        thing=Thing.PUBLISHED,
        round=PRELIMINARY,
        path="targets/preliminary/raw/published",
        stages=since("published preliminary"),
    ),
    Asked(thing=Thing.PUBLISHED, round=FINAL, path="targets/final/raw/published", stages=since("published final")),
    # results are shown when their round, or the whole contest, is revealed, and no longer once that is taken back
    Asked(
        thing=Thing.RESULTS,
        round=PRELIMINARY,
        path="exports/standings.json?round=preliminary",
        stages=since("revealed preliminary"),
    ),
    Asked(
        thing=Thing.RESULTS,
        round=PRELIMINARY,
        path="exports/matrix.csv?round=preliminary",
        stages=since("revealed preliminary"),
    ),
    Asked(thing=Thing.RESULTS, round=FINAL, path="exports/standings.csv?round=final", stages=REVEALED),
    Asked(thing=Thing.RESULTS, round=FINAL, path="exports/matrix.csv?round=final", stages=REVEALED),
    Asked(thing=Thing.RESULTS, round="", path="exports/standings.json", stages=REVEALED),
    Asked(thing=Thing.RESULTS, round="", path="exports/standings.csv", stages=REVEALED),
    Asked(thing=Thing.OWN_FILES, round="", path="submissions/1", stages=since("practised")),
    Asked(thing=Thing.OWN_FILES, round="", path="submissions/1/receipt", stages=since("practised")),
    Asked(thing=Thing.OWN_FILES, round="", path="submissions/1/files/released", stages=since("practised")),
    *(
        Asked(thing=Thing.RECORDS, round="", path=path, stages=since("registration"))
        for path in ("exports/ledger.jsonl", "exports/contest.zip", "audit", "jobs", "referee/tokens", "rejudgings")
    ),
)
WHO = {
    Audience.EVERYBODY: set(ROLES),
    Audience.TEAMS: {OWNER, "raw-captain", OTHER},
    Audience.OWNER: {OWNER, "raw-captain"},
    Audience.REFEREE: set[str](),
}
ALWAYS = {
    Thing.RESULTS: {REFEREE},
    Thing.OWN_FILES: {REFEREE},
    Thing.RECORDS: {REFEREE},
    Thing.PUBLISHED: set[str](),
    Thing.ORIGINAL: set[str](),
}
"""Who need not wait for the time of a thing."""


def play_round(cup: CupSite, name: str) -> Iterator[str]:
    assert cup.open("anonymise", name).status_code == 200
    for team in TEAMS:
        assert cup.submit(team, cup.materials[team], round_name=name).status_code == 201
    cup.worker.drain()
    yield f"anonymise {name}"
    assert cup.open("publish", name).status_code == 200
    cup.worker.drain()
    yield f"published {name}"
    assert cup.open("attack", name).status_code == 200
    assert cup.attack("pairs", "raw", cup.materials["attack on raw"], round_name=name).status_code == 201
    cup.worker.drain()
    yield f"attack {name}"


def play(cup: CupSite) -> Iterator[str]:
    """Play a contest of two rounds, stage by stage."""
    yield "registration"
    assert cup.open("practice").status_code == 200
    yield "practice"
    assert cup.submit("raw", cup.materials["raw"], round_name="practice").status_code == 201
    cup.worker.drain()
    yield "practised"
    yield from play_round(cup, PRELIMINARY)
    assert cup.open("reveal", PRELIMINARY).status_code == 200
    yield "revealed preliminary"
    yield from play_round(cup, FINAL)
    assert cup.open("evaluate", FINAL).status_code == 200
    yield "evaluate final"
    assert cup.open("reveal").status_code == 200
    yield "revealed"
    taken_back = {"phase": "reveal", "confirm": cup.site.book.name, "en": "too early"}
    assert cup.call("referee", "POST", "/api/v1/phases/withdraw", json=taken_back).status_code == 200
    yield "withdrawn"


def find_expected(asked: Asked, who: str, stage: str) -> bool:
    if asked.thing is Thing.OWN_FILES and who == OTHER:
        return stage in since("anonymise preliminary")  # a number is one's own count: this is the other's first file
    audience = WHO[DISCLOSURES[asked.thing].to] | ALWAYS.get(asked.thing, set())
    waits = who not in ALWAYS.get(asked.thing, set())
    allowed = who in audience or (asked.thing is Thing.PUBLISHED and who == REFEREE)
    there = asked.thing is not Thing.OWN_FILES or stage in asked.stages
    return allowed and there and (not waits or stage in asked.stages)


def test_everything_is_read_by_whom_it_is_for_and_not_before_its_time(cup: CupSite) -> None:
    wrong: list[tuple[str, str, str, int]] = []
    reached: list[str] = []
    for stage in play(cup):
        reached.append(stage)
        for asked in ASKED:
            for who in ROLES:
                status = cup.call(who, "GET", f"/api/v1/{asked.path}").status_code
                if (status == 200) != find_expected(asked, who, stage) or status >= 500:
                    wrong.append((stage, who or "nobody", asked.path, status))
        assert check_pages(cup, stage) == []
    assert wrong == []
    assert tuple(reached) == STAGES


def check_pages(cup: CupSite, stage: str) -> list[tuple[str, str, str]]:
    """Return what pages and lists show before its time, or do not show when it has come."""
    whole = stage in REVEALED
    rounds = {PRELIMINARY} if stage in since("revealed preliminary") else set[str]()
    rounds |= {FINAL} if whole else set()
    wrong: list[tuple[str, str, str]] = []
    for who in (NOBODY, SPECTATOR, OWNER, OTHER):
        answer = cup.call(who, "GET", "/api/v1/standings").json()
        if {each["round"] for each in answer["rounds"]} != rounds or bool(answer["digest"]) != whole:
            wrong.append((stage, who, "standings"))
        for name in (PRELIMINARY, FINAL):
            cells = cup.call(who, "GET", f"/api/v1/matrix?round={name}").json()["matrix"]
            others = [attacker for attacker in cells if attacker != who]
            if bool(others) != (name in rounds and who != OTHER) or (name not in rounds and "hits" in str(cells)):
                wrong.append((stage, who, f"matrix {name}"))
        page = cup.call(who, "GET", "/standings").text
        if ("<table" in page) != bool(rounds):
            wrong.append((stage, who, "/standings"))
    for who in (OWNER, OTHER):
        home = cup.call(who, "GET", "/team").text
        if ("/api/v1/rounds/final/original" in home) != (stage in since("anonymise final")):
            wrong.append((stage, who, "/team"))
        targets = cup.call(who, "GET", "/api/v1/targets?round=final").json()
        if bool(targets) != (stage in since("published final")):
            wrong.append((stage, who, "targets"))
        checked = cup.call(
            who, "POST", "/api/v1/check/release", data={"round": FINAL}, files={"released": b"1,2\n"}
        ).status_code
        if (checked == 200) != (stage in since("anonymise final")):
            wrong.append((stage, who, "check"))
    return wrong


def test_the_table_of_the_referee_says_the_same(cup: CupSite) -> None:
    for stage in play(cup):
        state, now = cup.site.book.read().state, cup.clock()
        for asked in ASKED:
            if asked.thing in (Thing.OWN_FILES, Thing.RECORDS) or asked.round == PRACTICE_ROUND:
                continue
            assert may_read(state, asked.thing, asked.round, now) == (stage in asked.stages), (stage, asked)
        assert not may_read(state, Thing.TRUTH, FINAL, now)


def test_every_thing_has_its_line_in_the_table() -> None:
    assert set(DISCLOSURES) == set(Thing)
    assert {asked.thing for asked in ASKED} == set(Thing) - {Thing.SAMPLE, Thing.TEST, Thing.TRUTH}


@pytest.mark.parametrize(
    ("phase", "round_name", "name"),
    [("practice", "", "practice"), ("publish", "final", "final"), ("reveal", "final", "final"), ("reveal", "", "cup")],
)
def test_what_shows_something_to_others_is_confirmed_by_its_name(
    cup: CupSite, phase: str, round_name: str, name: str
) -> None:
    if phase != "practice":
        cup.open("anonymise", "final")
        cup.submit("raw", cup.materials["raw"])
        cup.worker.drain()
    if phase == "reveal":
        cup.open("publish", "final")
        cup.worker.drain()
    change = {"phase": phase, "round": round_name}
    before = cup.site.book.read().head
    for typed in ("", "yes", name.upper(), f"{name}s"):
        answer = cup.call("referee", "POST", "/api/v1/phases/open", json={**change, "confirm": typed})
        assert (answer.status_code, answer.json()["rule"]) == (409, "confirm")
        assert repr(name) in answer.json()["error"]
        assert f"「{name}」" in answer.json()["error_ja"]
    form = {"verb": "open", **change}
    assert cup.call("referee", "POST", "/referee/phases", data=form).status_code == 409
    assert cup.site.book.read().head == before
    answer = cup.call("referee", "POST", "/referee/phases", data={**form, "confirm": name})
    assert answer.status_code == 303, answer.text
    assert cup.site.book.read().state.has_begun(PhaseKind(phase), cup.clock(), round_name)


def test_a_publication_is_taken_back_and_made_anew(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    for team in ("raw", "pairs"):
        cup.submit(team, cup.materials[team])
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    assert cup.call("raw", "GET", "/api/v1/targets/final/pairs/published").status_code == 200
    body = {"phase": "publish", "round": "final", "confirm": "final", "en": "a team was missing", "ja": "漏れ"}
    for who in ("raw", ""):
        assert cup.call(who, "POST", "/api/v1/phases/withdraw", json=body).status_code in (401, 403)
    unsure = {**body, "confirm": ""}
    assert cup.call("referee", "POST", "/api/v1/phases/withdraw", json=unsure).json()["rule"] == "confirm"
    assert cup.call("referee", "POST", "/referee/withdrawals", data=body).status_code == 303
    assert cup.call("raw", "GET", "/api/v1/targets/final/pairs/published").status_code == 409
    assert cup.call("raw", "GET", "/api/v1/targets?round=final").json() == []
    told = cup.call("", "GET", "/api/v1/announcements").json()[0]
    assert "a team was missing" in told["en"]
    assert "漏れ" in told["ja"]
    cup.open("anonymise", "final")
    assert cup.submit("more", cup.materials["more"]).status_code == 201
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    assert set(cup.site.book.read().state.published["final"]) == {"raw", "pairs", "more"}
    assert len(cup.call("raw", "GET", "/api/v1/targets?round=final").json()) == 3
    assert cup.call("raw", "GET", "/api/v1/targets/final/more/published").status_code == 200

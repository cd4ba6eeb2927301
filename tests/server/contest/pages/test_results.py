"""Results are told whole: each round and the contest, attacks of practice too, and when what was handed in."""

from __future__ import annotations

import re
from html import unescape

from tests.server.contest.cup_site import TEAMS, CupSite
from tests.server.contest.pages.visits import practise, read_page

from sekisho.contest.rulings.disclosure import Thing
from sekisho.server.contest.database.rows import HandoutRow
from sekisho.server.contest.pages.releases import draw_timeline, list_ticks
from sekisho.server.contest.routes.models import EntryAnswer
from sekisho.words import Language

HOUR, DAY = 3600.0, 86400.0


def read_rows(section: str) -> dict[str, list[str]]:
    """Return the cells of a table by team: rank, survives, figures, broken by."""
    rows = re.findall(r"<tr[^>]*><td.*?</tr>", section, flags=re.DOTALL)
    cells = [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.split(r"</t[dh]>", row)] for row in rows]
    return {row[1].split()[0]: [row[0], *row[2:]] for row in cells}


def play_preliminary(cup: CupSite) -> None:
    """Hand the releases of a round in that does not count: raw hands in what nobody can break."""
    assert cup.open("anonymise", "preliminary").status_code == 200
    for team, release in (("raw", "more"), ("pairs", "triples")):
        assert cup.submit(team, cup.materials[release], round_name="preliminary").status_code == 201
    cup.worker.drain()
    for phase in ("publish", "attack", "evaluate"):
        assert cup.open(phase, "preliminary").status_code == 200
        cup.worker.drain()


def test_each_round_and_the_whole_are_shown(cup: CupSite) -> None:
    play_preliminary(cup)
    cup.play()
    page = read_page(cup, "", "/standings", "en")
    told = cup.call("", "GET", "/api/v1/standings").json()
    assert [(each["round"], each["weight"]) for each in told["rounds"]] == [("preliminary", 0), ("final", 1)]
    assert told["rounds"][1]["standings"] == told["standings"] != told["rounds"][0]["standings"]
    whole, preliminary, final = page.split('<section aria-labelledby="')[1:]
    assert "preliminary 0 (does not count), final 1" in whole
    # the preliminary has no weight, so that the whole is the final: raw is broken there, and first before
    assert read_rows(whole) == read_rows(final)
    assert read_rows(whole)["raw"][:2] == ["–", "no"]
    assert read_rows(preliminary)["raw"][1] == "yes"
    assert set(read_rows(preliminary)) == set(TEAMS)
    assert [part.count("<svg") for part in (whole, preliminary, final)] == [0, 1, 3]  # nobody attacked at first


def test_rounds_are_not_shown_before_the_reveal(cup: CupSite) -> None:
    play_preliminary(cup)
    for who in ("", "raw"):
        page = read_page(cup, who, "/standings", "en")
        assert "Results are shown after the reveal" in page
        assert "Round: preliminary" not in page
        assert cup.call(who, "GET", "/api/v1/standings").json()["rounds"] == []
    assert "Round: preliminary" in read_page(cup, "referee", "/standings", "en")


def test_the_matrix_of_practice_is_ones_own_row(cup: CupSite) -> None:
    practise(cup)
    own = cup.call("raw", "GET", "/api/v1/matrix?round=practice").json()
    assert list(own["matrix"]) == ["raw"]
    assert list(own["matrix"]["raw"]) == ["pairs"]
    assert cup.call("triples", "GET", "/api/v1/matrix?round=practice").json()["matrix"] == {}
    assert cup.call("", "GET", "/api/v1/matrix?round=practice").json()["matrix"] == {}
    assert list(cup.call("referee", "GET", "/api/v1/matrix?round=practice").json()["matrix"]) == ["raw"]
    assert "r = " in read_page(cup, "raw", "/matrix", "en")  # what is shown first while nothing is published
    assert cup.call("referee", "GET", "/api/v1/exports/matrix.csv?round=practice").status_code == 200


def test_a_scored_attack_is_told_in_a_sentence(cup: CupSite) -> None:
    practise(cup)
    score = cup.call("raw", "GET", "/api/v1/submissions/2").json()["score"]
    sentence = f"{score['hits']} of {score['claimed']} guesses are right; it takes {score['threshold']} to break"
    assert sentence in read_page(cup, "raw", "/entries/2", "en")
    assert f"推定 {score['claimed']} 件のうち {score['hits']} 件" in read_page(cup, "raw", "/entries/2", "ja")


def test_first_steps_are_shown_where_there_are_samples_until_something_is_handed_in(cup: CupSite) -> None:
    assert "First steps" not in read_page(cup, "raw", "/team", "en")
    with cup.site.database.write() as session:
        row = HandoutRow(
            contest=cup.site.book.contest, kind=Thing.SAMPLE, round="", about="release.csv", team="", digest="0"
        )
        session.add(row)
    assert "First steps" in read_page(cup, "raw", "/team", "en")
    practise(cup)
    assert "First steps" not in read_page(cup, "raw", "/team", "en")


def make_entry(number: int, at: str, **changed: str) -> EntryAnswer:
    fields = {"team": "raw", "round": "final", "target": "", "status": "valid", **changed}
    return EntryAnswer(
        entry=number, at=at, valid=None, files={}, score={}, errors=[], count=0, counts_now=None, job=None, **fields
    )


def test_the_timeline_has_a_point_for_each_file_and_a_line_for_each_kind() -> None:
    entries = [
        make_entry(1, "2018-09-01T00:00:00.000000Z"),
        make_entry(2, "2018-09-01T12:00:00.000000Z", target="pairs", status="invalid"),
        make_entry(3, "2018-09-03T00:00:00.000000Z", target="more", status="pending"),
    ]
    own = draw_timeline(entries, "Asia/Tokyo", Language.EN, by_team=False)
    assert own is not None
    assert own.svg.count("<circle") == 3
    assert [name for name in ("release", "pairs", "more") if f">{name}<" not in own.svg] == []
    everybody = draw_timeline(entries, "Asia/Tokyo", Language.JA, by_team=True)
    assert everybody is not None
    assert ">raw<" in everybody.svg
    assert draw_timeline([], "Asia/Tokyo", Language.EN, by_team=True) is None


def test_ticks_are_round_in_the_contests_zone() -> None:
    # 2018-09-01 00:00 UTC is 09:00 in Tokyo; two days are cut into days, which begin there at 15:00 UTC
    first = 1535760000.0
    assert [words for _, words in list_ticks(first, first + 2 * DAY, "Asia/Tokyo")] == [
        "09-01 12:00",
        "09-02 00:00",
        "09-02 12:00",
        "09-03 00:00",
    ]
    assert [words for _, words in list_ticks(first, first + 10 * DAY, "Asia/Tokyo")] == ["2018-09-08"]
    assert [words for _, words in list_ticks(first, first, "Asia/Tokyo")] == ["09-01 09:00"]
    assert [words for _, words in list_ticks(first + 1, first + 2, "Asia/Tokyo")] == ["09-01 09:00"]
    long = list_ticks(first, first + 2 * HOUR, "UTC")
    assert [words for _, words in long] == ["09-01 00:00", "09-01 01:00", "09-01 02:00"]


def test_the_curve_is_shown_before_the_first_attack_and_holds_ones_own_points(cup: CupSite) -> None:
    practise(cup)
    before = read_page(cup, "triples", "/targets?round=practice", "en")
    after = read_page(cup, "raw", "/targets?round=practice", "en")
    assert [page.count("Hits against the threshold</p>") for page in (before, after)] == [1, 1]
    assert [page.count("<circle") for page in (before, after)] == [0, 1]  # raw attacked pairs

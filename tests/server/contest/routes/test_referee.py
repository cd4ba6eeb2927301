"""The referee judges again as a whole, tells everybody, and leaves a trace that cannot be changed unseen."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from sqlalchemy import select
from tests.server.contest.cup_site import CupSite

from sekisho.contest.ledger import digest_text
from sekisho.server.contest.database.rows import AuditRow, ResultRow


def rejudge(cup: CupSite, name: str) -> dict[str, object]:
    assert cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": name}).status_code == 201
    cup.worker.drain()
    answer: dict[str, object] = cup.call("referee", "GET", f"/api/v1/rejudgings/{name}").json()
    return answer


def test_judging_again_changes_nothing_where_nothing_changed(cup: CupSite) -> None:
    cup.play()
    before = cup.call("", "GET", "/api/v1/standings").json()["digest"]
    answer = rejudge(cup, "again")
    assert (answer["wanted"], answer["scored"], answer["differences"]) == (16, 16, [])
    assert cup.call("referee", "POST", "/api/v1/rejudgings/again/apply").status_code == 200
    assert cup.call("", "GET", "/api/v1/standings").json()["digest"] == before
    assert cup.call("referee", "POST", "/api/v1/rejudgings/again/apply").status_code == 409


@pytest.mark.parametrize("applied", [True, False])
def test_a_corrected_original_shows_its_differences_before_they_count(cup: CupSite, *, applied: bool) -> None:
    cup.play()
    before = cup.call("", "GET", "/api/v1/standings").json()
    original = cup.vault / "cup" / "rounds" / "final" / "original.csv"
    lines = original.read_text().splitlines()
    # an erratum: a purchase's quantity was another one
    head, _, quantity = lines[1].rpartition(",")
    original.write_text("\n".join([lines[0], f"{head},{int(quantity) + 1}", *lines[2:]]) + "\n")
    answer = rejudge(cup, "erratum")
    assert answer["scored"] == 16
    differences = answer["differences"]
    assert isinstance(differences, list)
    changed = {(each["team"], each["target"]): each["then"]["status"] for each in differences}
    # what raw released is not true any more: it is invalid, and so are the attacks on it
    invalid = {pair for pair, status in changed.items() if status == "invalid"}
    assert invalid == {("raw", ""), ("pairs", "raw"), ("triples", "raw"), ("more", "raw")}
    assert cup.call("", "GET", "/api/v1/standings").json() == before
    verb = "apply" if applied else "drop"
    assert cup.call("referee", "POST", f"/api/v1/rejudgings/erratum/{verb}").status_code == 200
    after = cup.call("", "GET", "/api/v1/standings").json()
    assert (after == before) is not applied


def test_corrected_rules_are_another_truth(cup: CupSite) -> None:
    cup.play()
    rules = cup.vault / "cup" / "rules.toml"
    lines = [line for line in rules.read_text().splitlines() if not line.startswith("thresholds")]
    rules.write_text("\n".join(lines).replace('alpha = "1/2000"', 'alpha = "999/1000"') + "\n")
    answer = rejudge(cup, "alpha")
    assert answer["differences"]  # thresholds are others
    with cup.site.database.read() as session:
        truths = session.execute(select(ResultRow.submission, ResultRow.truth)).all()
    assert len(set(truths)) == len(truths) == 32  # each file has a result before either truth


def test_the_errors_of_an_attacked_release_are_not_its_attackers(cup: CupSite) -> None:
    cup.play()
    original = cup.vault / "cup" / "rounds" / "final" / "original.csv"
    lines = original.read_text().splitlines()
    head, _, quantity = lines[1].rpartition(",")
    original.write_text("\n".join([lines[0], f"{head},{int(quantity) + 1}", *lines[2:]]) + "\n")
    rejudge(cup, "erratum")
    cup.call("referee", "POST", "/api/v1/rejudgings/erratum/apply")
    invalid = [each for each in cup.call("pairs", "GET", "/api/v1/attacks").json() if each["status"] == "invalid"]
    assert [each["errors"] for each in invalid] == [
        [
            {
                "row": 0,
                "column": "",
                "rule": "target",
                "value": "raw",
                "message": "the release that it attacks is not valid",
                "message_ja": "攻撃の対象の加工データが有効ではありません",
            }
        ]
    ]


def test_a_rejudging_that_is_not_done_cannot_be_applied(cup: CupSite) -> None:
    cup.play()
    cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": "again"})
    assert cup.call("referee", "POST", "/api/v1/rejudgings/again/apply").status_code == 409
    assert cup.call("referee", "POST", "/api/v1/rejudgings/again/drop").status_code == 200
    cup.worker.drain()  # its jobs come to nothing
    answer = cup.call("referee", "GET", "/api/v1/rejudgings").json()[0]
    assert (answer["applied"], answer["scored"], answer["failed"]) == (False, 0, [])


def test_announcements_are_everybodys_in_both_languages(cup: CupSite) -> None:
    text = {"en": "<b>One</b> day more.", "ja": "一日延長します。"}
    assert cup.call("referee", "POST", "/api/v1/announcements", json=text).status_code == 201
    told = cup.call("", "GET", "/api/v1/announcements").json()
    assert [{"en": each["en"], "ja": each["ja"]} for each in told] == [text]
    assert cup.call("referee", "POST", "/api/v1/announcements", json={"en": " "}).json()["rule"] == "text"


@pytest.mark.parametrize("text", ["\u0000", "a\u0007b", "\ud800", "x" * 10_001])
def test_a_text_that_no_database_takes_is_refused(cup: CupSite, text: str) -> None:
    body = json.dumps({"en": text}).encode()
    headers = {"Authorization": f"Bearer {cup.tokens['referee']}", "Content-Type": "application/json"}
    answer = cup.client.request("POST", "/api/v1/announcements", content=body, headers=headers)
    assert answer.status_code == 422


def test_the_audit_is_chained(cup: CupSite) -> None:
    cup.play()
    cup.call("raw-captain", "POST", "/api/v1/teams/raw/tokens", json={})
    lines = cup.call("referee", "GET", "/api/v1/audit").json()
    assert [line["action"] for line in lines][:2] == ["import", "open-phase"]
    assert lines[-1]["action"] == "make-token"
    assert lines[-1]["actor"].startswith("token ")
    for before, after in pairwise(lines):
        assert after["previous"] == before["hash"]
    assert cup.call("referee", "GET", "/api/v1/audit/check").json() == {"whole": True, "line": None}
    with cup.site.database.write() as session:
        row = session.scalars(select(AuditRow).where(AuditRow.n == 3)).one()
        row.line = row.line.replace("open-phase", "make-token")
        row.digest = digest_text(row.line)  # even if its own digest is made anew
    assert cup.call("referee", "GET", "/api/v1/audit/check").json() == {"whole": False, "line": 4}


def test_figures_for_those_who_watch(cup: CupSite) -> None:
    cup.play()
    text = cup.call("referee", "GET", "/metrics").text
    assert "sekisho_entries 16" in text
    assert 'sekisho_jobs{state="done"} 17' in text
    assert 'sekisho_requests_total{method="POST",route="/api/v1/submissions",status="201"} 4' in text
    assert cup.call("", "GET", "/ready").json() == {"status": "ready"}


def test_tables_for_spreadsheets_are_those_of_the_command_line(cup: CupSite) -> None:
    cup.play()
    table = cup.call("", "GET", "/api/v1/exports/standings.csv").content
    assert table.startswith(b"\xef\xbb\xbfrank,team")
    assert cup.call("", "GET", "/api/v1/exports/matrix.csv?round=final").content.count(b"\n") == 13
    assert cup.call("", "GET", "/api/v1/exports/matrix.csv?round=none").status_code == 404

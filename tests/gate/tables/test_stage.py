"""A table takes the same journey as any other data: the pattern of each search is audited, and nothing unsafe may
leave."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.tables.manual_rule import Manual

from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.tables.candidate import TableCandidate, TableRelease
from sekisho.gate.tables.search import SealedCertificate, TableSearch
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.candidates import run
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.tables.audit.intervals import audit
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.rules.table_rules import Price, TableRules
from sekisho.tables.suppress.optimiser import Optimiser

A, B = Dimension.flat("a", ["x", "y", "z"]), Dimension.flat("b", ["p", "q", "r"])
KEYS = [(a, b) for a in A.leaves for b in B.leaves]
# (x, p) = 2 is the only count below 5; a rectangle through it is the smallest closed walk: three more cells.
TABLE = from_inner((A, B), KEYS, np.array([2, 28, 30, 20, 16, 14, 15, 13, 12], dtype=np.float64))
SEARCHES = {"plain": TableSearch(), "short": TableSearch(seconds=20.0)}
HAND = Provenance(name="by hand")


def travelled(stage: TableStage) -> Outcome[TableCandidate]:
    return list(run(stage, seed=Seed(1)))[-1].outcome


def pattern(*hidden: tuple[str, str], table: Table = TABLE) -> TableRelease:
    status = np.zeros(len(table), dtype=np.int8)
    status[[table.position[key] for key in hidden]] = Status.SECONDARY
    return TableRelease(table=table.mark_cells(status), provenance=HAND)


def tried(release: TableRelease, stage: TableStage | None = None) -> TableCandidate:
    return (stage or TableStage(table=TABLE)).try_release("by hand", release, seed=Seed(1))


def rules_of(candidate: TableCandidate) -> dict[str, Verdict]:
    return {reason.rule: reason.verdict for reason in candidate.reasons}


def test_a_journey_tries_every_search_and_a_proven_pattern_may_leave() -> None:
    outcome = travelled(TableStage(table=TABLE, searches=SEARCHES, insiders=1))
    assert (outcome.shape, [each.label for each in outcome.candidates]) == (Shape.TABLE, ["plain", "short"])
    for each in outcome.candidates:
        assert (each.verdict, each.reasons, each.score.value) == (Verdict.RELEASE, (), 3.0)
        assert [attempt.adversary for attempt in each.attempts] == ["outsider", "insiders, 1 of one cell"]
        assert [(attempt.claimed, attempt.hits, attempt.baseline) for attempt in each.attempts] == [(1, 0, 0.0)] * 2
        assert not any(attempt.refutes for attempt in each.attempts)
        sealed = each.release.certificate
        assert sealed is not None
        assert sealed.data is not None
        assert (sealed.complete, sealed.bound, check(sealed.data.decode()).valid) == (True, 3.0, True)
        provenance = json.loads(sealed.data)["provenance"]
        assert (provenance["name"], provenance["parameters"]["cost"]) == ("table suppress", "1")


def test_what_leaves_the_gate_does_not_tell_which_cells_are_unsafe() -> None:
    corners = (("x", "p"), ("x", "q"), ("y", "p"), ("y", "q"))
    release = pattern(*corners)
    unsafe = TABLE.value == 2
    other = replace(release, table=release.table.flag_cells(unsafe, sliding=10.0))
    assert release.publish(mark="***").rows() == other.publish(mark="***").rows()
    assert release.publish()["value"].to_list().count("x") == len(corners)


def test_an_unsafe_cell_alone_in_its_row_and_column_is_worked_out() -> None:
    # (x, p) = row total 60 - 28 - 30: hidden, and known
    candidate = tried(pattern(("x", "p")))
    assert candidate.verdict is Verdict.REFUSE
    assert rules_of(candidate) == {
        "narrow interval": Verdict.REFUSE,
        "disclosed cell": Verdict.REFUSE,
        "certificate": Verdict.REVIEW,
        "open account": Verdict.REVIEW,
    }
    (outsider,) = candidate.attempts
    assert (outsider.claimed, outsider.hits, outsider.refutes) == (1, 1, True)
    assert outsider.exposed == (TABLE.position["x", "p"],)
    assert candidate.reasons[1].detail == "1 unsafe cell can be estimated too closely: a=x, b=p"


def test_a_rectangle_that_is_too_tight_is_refused_though_nothing_is_known_exactly() -> None:
    # 2 and 12 move up by t, 30 and 15 down: t lies in [-2, 15], a width of 17, and 40 is asked
    stage = TableStage(table=TABLE, rules=TableRules(width=40.0))
    candidate = tried(pattern(("x", "p"), ("x", "r"), ("z", "p"), ("z", "r")), stage)
    assert rules_of(candidate) == {
        "narrow interval": Verdict.REFUSE,
        "certificate": Verdict.REVIEW,
        "open account": Verdict.REVIEW,
    }


def test_an_unsafe_cell_that_the_pattern_shows_is_named() -> None:
    candidate = tried(pattern(("y", "q"), ("y", "r"), ("z", "q"), ("z", "r")))
    assert rules_of(candidate)["unsafe cell shown"] is Verdict.REFUSE
    assert "a=x, b=p" in next(one.detail for one in candidate.reasons if one.rule == "unsafe cell shown")


def test_what_was_flagged_before_must_stay_hidden_whatever_the_pattern_says() -> None:
    stage = TableStage(table=primaries(TABLE, [Manual(cells=(("y", "q"),), width=10.0)]))
    candidate = tried(pattern(("x", "p"), ("x", "r"), ("z", "p"), ("z", "r")), stage)
    assert candidate.finding.case.shown == ("a=y, b=q",)


def test_a_safe_pattern_without_a_valid_certificate_goes_to_review() -> None:
    safe = pattern(("x", "p"), ("x", "q"), ("y", "p"), ("y", "q"))
    assert (tried(safe).verdict, rules_of(tried(safe))) == (Verdict.REVIEW, {"certificate": Verdict.REVIEW})
    doubtful = replace(safe, certificate=SealedCertificate(data=b"{}", errors=("no witness",)))
    assert tried(doubtful).reasons[-1].detail == "no valid certificate proves it: no witness"
    assert tried(replace(safe, certificate=SealedCertificate())).verdict is Verdict.REVIEW


def test_insiders_are_asked_only_if_that_is_said() -> None:
    # (x, p) and (x, q) add up to 2, for the rest of the row is shown: who is the one of (x, p) knows (x, q), and the
    # other way round
    twice = from_inner((A, B), KEYS, np.array([1, 1, 30, 20, 16, 14, 15, 13, 12], dtype=np.float64))
    hidden = pattern(("x", "p"), ("x", "q"), ("y", "p"), ("y", "q"), table=twice)
    rules = TableRules(min_count=2, width=2.0)
    assert tried(hidden, TableStage(table=twice, rules=rules)).verdict is Verdict.REVIEW
    candidate = tried(hidden, TableStage(table=twice, rules=rules, insiders=1))
    assert rules_of(candidate)["insiders"] is Verdict.REFUSE
    assert (candidate.attempts[1].hits, candidate.attempts[1].claimed) == (2, 2)


def test_costs_are_charged_and_the_cheaper_pattern_is_the_better() -> None:
    stage = TableStage(table=TABLE, rules=TableRules(cost=Price.VALUE), searches=SEARCHES)
    best = travelled(stage).best
    # the cheapest rectangle through (x, p): by (y, q) 28 + 20 + 16 = 64, (y, r) 64, (z, q) 28 + 15 + 13 = 56, (z, r) 57
    assert best.score.value == 56.0
    dearer = tried(pattern(("x", "p"), ("x", "q"), ("y", "p"), ("y", "q")), stage)
    assert dearer.score.value == 64.0


def test_a_pattern_of_another_table_is_refused() -> None:
    other = from_inner((A, B), KEYS, np.arange(5.0, 14.0))
    with pytest.raises(ParameterError, match="release must be a pattern of the table at this stage"):
        tried(pattern(("x", "p"), table=other))


def test_sums_without_a_rule_are_refused_and_what_cannot_be_protected_is_said() -> None:
    sums = replace(TABLE, frequency=np.full(len(TABLE), 50))
    with pytest.raises(ParameterError, match="rule must be given for a table of sums"):
        travelled(TableStage(table=sums))
    one = from_inner((Dimension.flat("a", ["x"]),), [("x",)], np.array([2.0]))
    shown = np.array([key == ("Total",) for key in one.keys])
    with pytest.raises(InfeasibleError):
        travelled(
            TableStage(
                table=replace(one, status=np.where(shown, Status.PUBLISH, Status.SAFE).astype(np.int8)),
                rules=TableRules(rules=(Manual(cells=(("x",),), width=10.0),), min_count=0),
            )
        )


def test_two_lines_of_python_are_as_safe_as_the_command_line() -> None:
    answer = Optimiser().suppress(primaries(TABLE, [MinimumFrequency(count=5)]))
    found = audit(answer.table)
    assert (len(found.cells), found.disclosed.size, found.narrow.size) == (4, 0, 0)
    at = int(np.searchsorted(found.cells, TABLE.position["x", "p"]))
    assert found.high[at] - found.low[at] >= 10


def test_a_pattern_from_elsewhere_has_no_search_to_tell_of() -> None:
    with pytest.raises(ParameterError, match="be a pattern that was searched for"):
        pattern(("x", "p")).take_search()


def test_a_review_finds_what_needs_no_attack() -> None:
    # (y, q) is alone in its row and its column, the unsafe (x, p) is shown, and no certificate speaks for the pattern
    reviewed = TableStage(table=TABLE).review("by hand", pattern(("y", "q")), seed=Seed(1))
    assert [reason.rule for reason in reviewed.reasons] == [
        "open account",
        "disclosed cell",
        "unsafe cell shown",
        "certificate",
    ]
    assert (reviewed.verdict, reviewed.attempts) == (Verdict.REFUSE, ())
    # the corners of a rectangle move together, (x, p) between 0 and 22: for that nothing must be solved either
    hidden = pattern(("x", "p"), ("x", "q"), ("y", "p"), ("y", "q"))
    reviewed = TableStage(table=TABLE, rules=TableRules(width=40.0)).review("by hand", hidden, seed=Seed(1))
    assert [reason.rule for reason in reviewed.reasons] == ["open account", "narrow interval", "certificate"]

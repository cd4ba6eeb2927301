"""The planner's release must meet every condition, and what it says of the risk must be what the referee counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from verify.crossing.methods import contest_methods, cross_methods
from verify.crossing.page import CROSS_TITLE, cross_blocks

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.records.partners import Partners, find_partners
from sekisho.data.records.space import take_kept
from sekisho.data.review import ReleaseReview
from sekisho.data.synthetic.health import HEALTH_SPACE, health_records
from sekisho.gate.fit import fit
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.plan import PlanParameters, PlanStep, RecordPlanner, make_planned_release
from sekisho.gate.records.repair import Repair
from sekisho.gate.records.test_sets import RiskTest, make_record_adversaries, needs_order
from sekisho.protect.records.borrow import draw_partners
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed
from sekisho.protect.records.swap import Swap
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Tone
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.plan import PLAN_TITLE, plan_blocks
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, Side, check_conditions, make_measures
from sekisho.utility.records.rate import RateChange

RULES = read_record_rules("pwscup2021")
DATA = health_records(4000, rng=Seed(3).rng())
(POINTS,) = HEALTH_SPACE.points(DATA)
MEASURES = make_measures(RULES)
RATE = RateChange(outcome="dia", columns=RULES.measures.explaining, cuts=RULES.measures.cuts)


@cache
def find_once() -> Partners:
    return find_partners(POINTS, 4)


def test_a_planned_release_meets_every_condition() -> None:
    release = make_planned_release(RULES, DATA, find_once(), PlanParameters(lean=0.5, pull=-0.5), rng=Seed(1).rng())
    assert all(condition.met for condition in check_conditions(RULES, DATA, release))


def test_repair_brings_odds_and_tables_back() -> None:
    rng = Seed(4).rng()
    source, rows = draw_partners(find_once(), 0.0, rng=rng).astype(np.int64), np.sort(rng.permutation(4000)[:2400])
    deleted = np.ones(4000, dtype=np.bool_)
    deleted[rows] = False
    mended = Repair().repair_sources(RULES, DATA, find_once(), source, rows, rng=rng)
    before, after = (release_borrowed(DATA, one, deleted, ReleaseMaker("x", None)) for one in (source, mended))
    assert MEASURES["odds"].compare(DATA, before).value > 0.1
    assert MEASURES["odds"].compare(DATA, after).value <= 0.1
    assert RATE.compare(DATA, after).value <= 0.05
    assert (mended != source).mean() < 0.3  # few rows are touched
    assert all(mended[row] in find_once().of(row) for row in np.flatnonzero(mended != source).tolist())


def test_repair_heeds_the_round_that_is_asked_for() -> None:
    wide = replace(RULES.find_round("final"), odds=1e6, rate=1.0)
    rules = replace(RULES, rounds={**RULES.rounds, "wide": wide})
    source, rows = draw_partners(find_once(), 0.0, rng=Seed(4).rng()).astype(np.int64), np.arange(2400)
    untouched = Repair().repair_sources(rules, DATA, find_once(), source, rows, rng=Seed(4).rng(), round_name="wide")
    assert (untouched == source).all()


def test_cells_of_records_add_up_to_the_measure() -> None:
    cells, shares = RATE.place_records(DATA)
    release = DeleteRandom(share=0.5).apply(DATA, rng=Seed(1).rng())
    left = cells[~release.deleted]
    counted = np.bincount(left[left >= 0], minlength=len(shares)) / len(left)
    assert RATE.compare(DATA, release).value == pytest.approx(np.abs(counted - shares).max(), abs=1e-12)


def test_the_search_yields_steps_and_ends_with_every_adversary() -> None:
    planner = RecordPlanner(leans=(0.5,), pulls=(-0.5,), scouting=1, seeds=2)
    steps = list(planner.steps(RULES, DATA, seed=Seed(1), target=0.067))
    assert [step.done for step in steps] == [1, 2]
    last = steps[-1]
    assert last.best is not None
    assert last.best.admissible
    every = make_record_adversaries()
    assert {attempt.adversary for attempt in last.best.attempts} == {
        name for name, one in every.items() if not needs_order(one)
    }
    top = last.best.strongest
    assert top is not None
    assert last.best.risk == top.mean
    assert top.strength == pytest.approx(top.mean / 0.067)
    assert 0.0 <= top.low <= top.mean <= top.high
    # D keeps the order of C, and the final forbids to use it: told apart, and nobody is called the strongest of all
    assert last.best.order is None
    assert last.best.published().frame.equals(take_kept(last.best.release).frame)
    (index,) = last.best.forbidden
    assert index.adversary == "index"
    assert index.mean > top.mean
    html = render_page(PLAN_TITLE, plan_blocks(last, 0.067, Provenance(name="plan"), review=ReleaseReview()))
    assert "lean 0.5" in html
    assert "strongest adversary that the round allows" in html
    (banner, *_) = plan_blocks(last, 0.067, Provenance(name="plan"), review=ReleaseReview())
    assert isinstance(banner, Banner)
    assert index.mean >= 0.067
    assert banner.tone in (Tone.WARN, Tone.BAD)  # no tick above a figure that only the contest does not count
    assert f"which only the contest forbids, comes to {index.mean:.4f}" in html
    assert f"行の順序を使う攻撃のリスクは {index.mean:.4f}" in html
    assert "largest change of an odds ratio of the regression" in html
    assert "names the nearest rows for everybody" in html
    nothing = PlanStep(done=1, total=2, tried=(), best=None)
    assert "No candidate" in render_page(
        PLAN_TITLE, plan_blocks(nothing, 0.067, Provenance(name="plan"), review=ReleaseReview())
    )


@pytest.mark.parametrize(("in_order", "strongest"), [(True, {"index"}), (False, None)])
def test_where_no_round_forbids_it_the_order_counts_or_is_shuffled(
    *, in_order: bool, strongest: set[str] | None
) -> None:
    rules = replace(RULES, in_order=in_order, rounds={"final": replace(RULES.find_round(""), order_attacks=True)})
    planner = RecordPlanner(leans=(0.5,), pulls=(-0.5,), scouting=1, seeds=2)
    *_, last = planner.steps(rules, DATA, seed=Seed(1), target=0.067)
    best = last.best
    assert best is not None
    assert best.strongest is not None
    assert best.forbidden == ()
    assert {attempt.adversary for attempt in best.attempts} == set(make_record_adversaries())
    html = render_page(PLAN_TITLE, plan_blocks(last, 0.067, Provenance(name="plan"), review=ReleaseReview()))
    kept = take_kept(best.release).frame
    if strongest is not None:
        assert {best.strongest.adversary} == strongest
        assert best.verdict is Verdict.REFUSE
        assert best.order is None
        assert "attacks by the order count like all others" in html
        return
    assert best.order is not None
    assert sorted(best.order.tolist()) == list(range(kept.height))
    published = best.published().frame
    assert not published.equals(kept)
    assert published[best.order].equals(kept)  # row i of the kept ones is published as row order[i]
    (index,) = [attempt for attempt in best.attempts if attempt.adversary == "index"]
    assert index.mean < 0.1
    assert "The rows are shuffled before they leave" in html


def test_a_shuffle_defeats_the_index_attack_and_nobody_else_minds() -> None:
    release = InTurn(delete=DeleteRandom(share=0.45), change=fit(Swap(few=-1), RULES.parameters())).apply(
        DATA, rng=Seed(2).rng()
    )
    every = make_record_adversaries()
    pair = {name: every[name] for name in ("index", "swapback")}
    seeds = [Seed(number) for number in range(4)]
    open_risks = RiskTest(rules=RULES, seeds=seeds).measure(DATA, release, pair)
    hidden = RiskTest(rules=RULES, seeds=seeds, shuffled=True).measure(DATA, release, pair)
    assert open_risks["index"].mean > 0.15
    assert hidden["index"].mean < 0.08
    assert hidden["swapback"].topk.value == pytest.approx(open_risks["swapback"].topk.value, abs=0.1)
    assert len(take_kept(release)) == 2200


def test_the_cross_table_has_a_cell_for_every_pair_and_is_drawn() -> None:
    small = health_records(900, rng=Seed(5).rng())
    methods = {name: method for name, method in contest_methods(RULES).items() if name in {"noise", "far swap"}}
    every = make_record_adversaries()
    adversaries = {name: every[name] for name in ("nearest", "farthest")}
    rows = list(cross_methods(RULES, small, methods, adversaries, [Seed(1), Seed(2)]))
    assert [row.method for row in rows] == ["far swap", "noise"]
    assert rows[0].lawful.adversary == "farthest"
    assert rows[1].lawful.adversary == "nearest"
    assert "far swap" in render_page(CROSS_TITLE, cross_blocks(CROSS_TITLE, rows, [CROSS_TITLE], 2))


def test_a_condition_without_a_value_is_broken_and_says_why() -> None:
    lost = Condition(name="odds", value=None, limit=0.1, reason="perfect separation")
    assert not lost.met
    assert "perfect separation" in str(lost)
    assert lost.as_dict()["reason"] == "perfect separation"
    assert Condition(name="kept", value=0.5, limit=0.5, side=Side.AT_LEAST).met
    assert not Condition(name="kept", value=0.49, limit=0.5, side=Side.AT_LEAST).met
    nothing = release_borrowed(DATA, np.arange(4000), np.ones(4000, dtype=np.bool_), ReleaseMaker("x", None))
    assert not any(condition.met for condition in check_conditions(RULES, DATA, nothing))

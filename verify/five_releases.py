"""Five kinds of release before the strongest attack: raw, in pairs, in threes, a hundred left unique, two left raw.

``python verify/five_releases.py [--method similar-length] [--original FILE] [--data DIR] [--out DIR]`` makes the five
of a history of the contest of 2018 (a synthetic shop of 1,000 customers where there is none, see ``real_data.py``),
writes each release and its published table as the contest's files, attacks it, asks the referee under both bounds, and
states what must come out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mixed import leave_raw
from real_data import add_data_option, find_data
from sekisho.attack.history.maximum_knowledge import Insight, MaximumKnowledge, deal_claims, gain_insight
from sekisho.attack.history.referee import HistoryJudgement, judge
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_original, write_original, write_published, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect import METHODS
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

HERE = Path(__file__).parent
SEED = Seed(5)
ATTACKERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What attacks on a release came to under one bound; ``everyone`` judges one attack that names all pseudonyms."""

    chance: float
    planned: HistoryJudgement
    effective: HitRate
    everyone: HistoryJudgement


def main() -> None:
    """Make, attack and judge the five."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", default="similar-length")
    parser.add_argument("--original", type=Path, default=None)
    add_data_option(parser)
    parser.add_argument("--out", type=Path, default=HERE / "out" / "five")
    options = parser.parse_args()
    rules = read_history_rules("pwscup2018")
    place = options.original or find_data("pwscup2018/T_round2.csv", options.data)
    original = (
        SyntheticHistory(customers=1000).draw(rng=SEED.child("shop").rng())
        if place is None
        else read_original(place, rules)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    write_whole({options.out / "T.csv": write_original(original, rules)})
    outcomes: dict[tuple[str, Bound], Outcome] = {}
    print(
        f"{'release':<16} {'bound':<6} {'predicted':>9} {'effective':>11}",
        f"{'one planned attack':>22} {'everyone named':>22}",
    )
    for name, release in make_releases(original, options.method):
        write_whole(
            {
                options.out / f"{name}.csv": write_release(release, rules),
                options.out / f"{name}-published.csv": write_published(release, rules),
            }
        )
        insight = gain_insight(release.table.take(~release.deleted), original)
        for bound in Bound:
            outcomes[name, bound] = attack_release(
                original, release, insight, rules, bound, SEED.child(f"{name} {bound}")
            )
            print(format_line(name, bound, outcomes[name, bound]), flush=True)
    check_outcomes(outcomes)


def make_releases(original: Dataset, method: str) -> Iterator[tuple[str, Release]]:
    """Yield the five by name."""
    yield "raw", METHODS.make("pseudonymise").apply(original, rng=SEED.child("raw").rng())
    pairs = METHODS.make(method, k=2).apply(original, rng=SEED.child("pairs").rng())
    yield "pairs", pairs
    yield "threes", METHODS.make(method, k=3).apply(original, rng=SEED.child("threes").rng())
    yield "hundred-unique", leave_raw(original, pairs, 100)
    yield "two-raw", leave_raw(original, pairs, 2)


def attack_release(
    original: Dataset, release: Release, insight: Insight, rules: HistoryRules, bound: Bound, seed: Seed
) -> Outcome:
    """Attack a release: many attackers with planned claims, one who names everybody."""
    plan = MaximumKnowledge(bound=bound).plan_claims(insight.blocks)
    rng = seed.rng()
    verdicts = [
        judge(original, release, deal_claims(insight, plan.claims, rng=rng), rules, bound) for _ in range(ATTACKERS)
    ]
    everyone = MaximumKnowledge(bound=bound, everyone=True).plan_claims(insight.blocks)
    return Outcome(
        chance=float(plan.chance),
        planned=verdicts[0],
        effective=HitRate(hits=sum(verdict.effective for verdict in verdicts), trials=ATTACKERS, confidence=0.999),
        everyone=judge(original, release, deal_claims(insight, everyone.claims, rng=rng), rules, bound),
    )


def format_line(name: str, bound: Bound, result: Outcome) -> str:
    """Return an outcome as a line of text."""
    attacks = [f"{one.hits} of {one.claimed} (r {one.threshold})" for one in (result.planned, result.everyone)]
    share = f"{result.effective.hits} of {result.effective.trials}"
    return f"{name:<16} {bound:<6} {result.chance:>9.4f} {share:>11} {attacks[0]:>22} {attacks[1]:>22}"


def check_outcomes(outcomes: dict[tuple[str, Bound], Outcome]) -> None:
    """State what must have come out."""
    for (name, bound), result in outcomes.items():
        assert result.effective.low <= result.chance <= result.effective.high, (name, bound)
    for bound in Bound:
        assert outcomes["raw", bound].everyone.hits >= 0.99 * outcomes["raw", bound].everyone.claimed
        for name, k in (("pairs", 2), ("threes", 3)):
            everyone = outcomes[name, bound].everyone
            # A group's hits have variance 1: four standard deviations.
            assert abs(everyone.hits - everyone.claimed / k) <= 4 * (everyone.claimed / k) ** 0.5
        assert outcomes["hundred-unique", bound].planned.effective
    assert outcomes["two-raw", Bound.EXACT].planned.effective
    assert outcomes["two-raw", Bound.UNION].chance == 1 / 8


if __name__ == "__main__":
    main()

"""Does a k-anonymous history survive thirteen attackers? Over k = 1 to 7, under both bounds.

``python verify/survival.py [--quick] [--figures DIR]`` compares three answers and writes the picture and a JSON file to
verify/out:

exact       the planner's chance of an effective attack, as a fraction, to the thirteenth power;
dealt       20,000 contests in which only the dealing of customers among twins is simulated;
whole       contests against a release of a synthetic shop of 1,000 customers: candidates, assignment, claims, referee.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from sekisho.attack.history.claim_planner import ClaimPlan, TwinBlock
from sekisho.attack.history.maximum_knowledge import Insight, MaximumKnowledge, deal_claims, gain_insight
from sekisho.attack.history.referee import judge
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.report.figures.gallery import Axis, LineChart, Series, draw_standalone
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.words import bilingual

HERE = Path(__file__).parent
CUSTOMERS, ATTACKERS, SEED = 1000, 13, Seed(20181)
SIZES = range(1, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one size of group under one bound."""

    k: int
    bound: Bound
    everyone: bool
    plan: ClaimPlan
    dealt: HitRate | None
    whole: HitRate
    effective: HitRate

    @property
    def survival(self) -> float:
        """The chance that no attacker is effective, from the planner's fraction."""
        return float((1 - self.plan.chance) ** ATTACKERS)

    def as_dict(self) -> dict[str, object]:
        """Return the row as plain data."""
        return {
            "k": self.k,
            "bound": str(self.bound),
            "claims": "everyone" if self.everyone else "planned",
            "claimed": self.plan.claimed,
            "threshold": self.plan.threshold,
            "chance": str(self.plan.chance) if self.plan.chance.denominator < 10**9 else float(self.plan.chance),
            "survival": self.survival,
            "dealt": self.dealt and self.dealt.as_dict(),
            "whole": self.whole.as_dict(),
            "effective": self.effective.as_dict(),
        }


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--figures", type=Path, default=HERE / "out")
    options = parser.parse_args()
    contests, deals = (10, 2_000) if options.quick else (60, 20_000)
    shop = SyntheticHistory(customers=CUSTOMERS).draw(rng=SEED.child("shop").rng())
    rows: list[Row] = []
    print(f"{'k':>2} {'bound':<6} {'claims':<9} {'n':>5} {'r':>4} {'chance':>10} {'survival':>9}  {'dealt':<18} whole")
    for k in SIZES:
        release = SimilarLength(k=k).apply(shop, rng=SEED.child(f"release {k}").rng())
        insight = gain_insight(release.table.take(~release.deleted), shop)
        for bound in Bound:
            for everyone in (False, True):
                row = fight_contests(
                    release, shop, insight, k, MaximumKnowledge(bound=bound, everyone=everyone), contests, deals
                )
                rows.append(row)
                print(format_line(row), flush=True)
    check_rows(rows)
    options.figures.mkdir(parents=True, exist_ok=True)
    (HERE / "out").mkdir(exist_ok=True)
    write_whole(
        {
            HERE / "out" / "survival.json": json.dumps([row.as_dict() for row in rows], indent=1).encode(),
            options.figures / "survival.svg": draw_standalone(draw_survival(rows)).encode(),
        }
    )


def fight_contests(
    release: Release, shop: Dataset, insight: Insight, k: int, adversary: MaximumKnowledge, contests: int, deals: int
) -> Row:
    """Let thirteen attackers at a release, again and again."""
    plan, bound = adversary.plan_claims(insight.blocks), adversary.bound or Bound.UNION
    contests = min(10, contests) if adversary.everyone else contests
    seed = SEED.child(f"{k} {adversary.bound} {adversary.everyone}")
    rng, rules = seed.child("whole").rng(), read_history_rules("pwscup2018")
    fell = np.array(
        [
            [is_effective(release, shop, insight, plan, rules, bound, rng) for _ in range(ATTACKERS)]
            for _ in range(contests)
        ]
    )
    return Row(
        k=k,
        bound=bound,
        everyone=adversary.everyone,
        plan=plan,
        dealt=None if adversary.everyone else simulate_dealing(plan, insight.blocks, deals, seed.child("dealt")),
        whole=HitRate(hits=int((~fell.any(axis=1)).sum()), trials=contests),
        effective=HitRate(hits=int(fell.sum()), trials=fell.size, confidence=0.999),
    )


def is_effective(
    release: Release,
    shop: Dataset,
    insight: Insight,
    plan: ClaimPlan,
    rules: HistoryRules,
    bound: Bound,
    rng: np.random.Generator,
) -> bool:
    """Make one attack and ask the referee."""
    return judge(shop, release, deal_claims(insight, plan.claims, rng=rng), rules, bound).effective


def simulate_dealing(plan: ClaimPlan, blocks: tuple[TwinBlock, ...], contests: int, seed: Seed) -> HitRate:
    """Simulate only the dealing of customers among twins."""
    rng = seed.rng()
    kinds = Counter((blocks[claim.block].size, claim.claimed, claim.steady) for claim in plan.claims)
    hits = np.zeros(contests * ATTACKERS, np.int64)
    for (size, claimed, steady), count in kinds.items():
        if size == 1 or (steady and size == claimed):
            hits += count
            continue
        for _ in range(count):
            order = rng.permuted(np.tile(np.arange(size), (len(hits), 1)), axis=1)
            hits += (order[:, :claimed] == np.arange(claimed)).sum(axis=1)
    fell = (hits >= plan.threshold).reshape(contests, ATTACKERS).any(axis=1)
    return HitRate(hits=int((~fell).sum()), trials=contests, confidence=0.999)


def check_rows(rows: list[Row]) -> None:
    """State what was found."""
    for row in rows:
        chance = float(row.plan.chance)
        assert row.effective.low <= chance <= row.effective.high, (
            f"attacks do not come out as predicted: {format_line(row)}"
        )
        if row.dealt is not None:
            assert row.dealt.low <= row.survival <= row.dealt.high, (
                f"contests do not come out as predicted: {format_line(row)}"
            )
    planned = {(row.k, row.bound): row for row in rows if not row.everyone}
    assert planned[2, Bound.UNION].plan.chance == Fraction(299, 4096)
    assert planned[2, Bound.EXACT].plan.chance == 1
    assert planned[3, Bound.EXACT].plan.chance == Fraction(1, 108)


def format_line(row: Row) -> str:
    """Return a row as a line of text."""
    rates = [
        "–" if rate is None else f"{rate.value:.3f} [{rate.low:.3f};{rate.high:.3f}]" for rate in (row.dealt, row.whole)
    ]
    claims = "everyone" if row.everyone else "planned"
    return (
        f"{row.k:>2} {row.bound:<6} {claims:<9} {row.plan.claimed:>5} {row.plan.threshold:>4} "
        f"{float(row.plan.chance):>10.3g} {row.survival:>9.4f}  {rates[0]:<18} {rates[1]}"
    )


def draw_survival(rows: list[Row]) -> LineChart:
    """Return survival over k, a line for each bound and each way to claim."""
    names = {
        (Bound.UNION, False): bilingual("contest's bound, planned claims", "コンテストの上界・計画した主張"),
        (Bound.EXACT, False): bilingual("exact bound, planned claims", "厳密な上界・計画した主張"),
        (Bound.UNION, True): bilingual("contest's bound, everyone claimed", "コンテストの上界・全員を主張"),
        (Bound.EXACT, True): bilingual("exact bound, everyone claimed", "厳密な上界・全員を主張"),
    }
    return LineChart(
        title=bilingual("Who survives thirteen attackers", "十三人の攻撃者に耐えるか"),
        desc=bilingual(
            "Chance that a k-anonymous release of 1,000 customers survives thirteen attackers, "
            "from the planner's exact numbers.",
            "千人の k-匿名な公開データが十三人の攻撃に耐える確率（計画器の厳密値）。",
        ),
        x=Axis(label=bilingual("k, customers alike", "k（同一の行をもつ顧客数）"), low=1, high=7),
        y=Axis(label=bilingual("chance to survive", "生き残る確率"), low=0, high=1),
        series=tuple(
            Series(
                name=name,
                x=tuple(float(k) for k in SIZES),
                y=tuple(row.survival for row in rows if (row.bound, row.everyone) == key),
                dots=True,
            )
            for key, name in names.items()
        ),
    )


if __name__ == "__main__":
    main()

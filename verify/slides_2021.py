"""The two lessons of the slides of team 10, PWS Cup 2021: 25 partners is the limit, and delete after swapping.

Writes ``verify/out/slides_2021.json``. Run with ``--quick`` for three releases on synthetic data only; ``--data DIR``
names where real data lie (see ``real_data.py``). The slides say: "records whose candidates are 25 or fewer was the most
that could be deleted with utility kept", and "utility is lost unless the deleted records are chosen after the
exchange".
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from crossing.orders import Order, OrderFinding, compare_orders
from real_data import add_data_option, find_data
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import read_original
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed

OUT = Path(__file__).parent / "out"
LIMITS = (10, 15, 20, 25, 30, 35, 40, 50)
SLIDES = 25


def print_findings(name: str, findings: Sequence[OrderFinding]) -> None:
    """Print a line per limit: both orders side by side."""
    print(
        f"{name}: largest change of an odds ratio, limit {findings[0].limit:g}, {len(findings[0].odds)} releases each"
    )
    print(f"{'at most':>8} {'deleted':>8}   {'swap, then delete':<34}   {'delete, then swap':<34}")
    for few in sorted({one.few for one in findings}):
        pair = [one for one in findings if one.few == few]
        told = [
            f"{one.median:.3f} ({min(one.odds):.3f} to {max(one.odds):.3f}), met {one.met:>2} of {len(one.odds)}"
            for one in sorted(pair, key=lambda one: one.order is Order.DELETE_FIRST)
        ]
        print(f"{few:>8} {pair[0].deleted:>8}   {told[0]:<34}   {told[1]:<34}")


def check_lessons(findings: Sequence[OrderFinding]) -> dict[str, bool]:
    """Return whether each lesson is borne out."""
    after = {one.few: one for one in findings if one.order is Order.SWAP_FIRST}
    before = {one.few: one for one in findings if one.order is Order.DELETE_FIRST}
    half = len(after[SLIDES].odds) / 2
    return {
        "with at most 25 partners deleted after swapping most releases keep the odds": after[SLIDES].met > half,
        "with at most 35 or more most releases break them": all(
            one.met < half for few, one in after.items() if few >= 35
        ),
        "deleting first breaks the odds at 25 every time": before[SLIDES].met == 0,
        "deleting first is worse at every limit": all(before[few].median > after[few].median for few in after),
    }


def main() -> None:
    """Run the campaign and state what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three releases, synthetic data only")
    add_data_option(parser)
    given = parser.parse_args()
    rules = read_record_rules("pwscup2021")
    data: dict[str, Dataset] = {"synthetic": health_records(4190, rng=Seed(2021).rng())}
    place = None if given.quick else find_data("health/B00.csv", given.data)
    if place is not None:
        data["B00"] = read_original(place, rules)
    seeds = [Seed(number) for number in range(3 if given.quick else 20)]
    told: dict[str, object] = {}
    for name, records in data.items():
        findings = list(compare_orders(rules, records, LIMITS, seeds))
        lessons = check_lessons(findings)
        print_findings(name, findings)
        for lesson, holds in lessons.items():
            print(f"  {'yes' if holds else 'NO '}  {lesson}")
        told[name] = {"findings": [one.as_dict() for one in findings], "lessons": lessons}
    OUT.mkdir(exist_ok=True)
    (OUT / "slides_2021.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()

"""Every method on records against every adversary, over 20 seeds, on the contest's records and on synthetic ones.

Writes ``verify/out/health_cross.html`` (heat maps and findings) and ``health_cross.json``. Run with ``--quick`` for two
seeds on synthetic data only; ``--data DIR`` names where real data lie (see ``real_data.py``). Each seed makes a fresh
release and a fresh test set; the index attack sees the release in the original's order, all others would see nothing
new in a shuffled one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np

from crossing.methods import CrossRow, contest_methods, cross_methods
from crossing.page import CROSS_TITLE, cross_blocks
from real_data import add_data_option, find_data
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import read_original
from sekisho.data.records.partners import count_partners
from sekisho.data.synthetic.health import health_records
from sekisho.gate.fit import fit
from sekisho.gate.records.test_sets import RiskTest, make_record_adversaries
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.swap import Swap
from sekisho.report.kit.html import render_page
from sekisho.seeds import Seed
from sekisho.words import Said, bilingual

OUT = Path(__file__).parent / "out"


def compare_hit_rates(rules: RecordRules, data: Dataset, seeds: Sequence[Seed]) -> tuple[float, float]:
    """Return the hit rates of the swap-model adversary on members with few (at most 25) and with many partners."""
    (points,) = rules.space.points(data)
    few = count_partners(points, 4) <= 25
    rates: list[float] = []
    for group in (few, ~few):
        hits = members = 0
        for seed in seeds:
            release = InTurn(delete=DeleteRandom(share=0.45), change=fit(Swap(few=-1), rules.parameters())).apply(
                data, rng=seed.rng()
            )
            kept = np.flatnonzero(~release.deleted)
            chosen = seed.child("easy").rng().permutation(np.flatnonzero(group[kept]))[:100]
            people = Dataset(data.frame[kept[chosen]], data.schema)
            adversary = fit(make_record_adversaries()["swapback"], rules.parameters())
            guess = adversary.guess(release.table.take(~release.deleted), people, rng=seed.rng())
            hits += int((guess.rows(len(chosen), 3) == chosen[:, None]).any(axis=1).sum())
            members += len(chosen)
        rates.append(hits / max(members, 1))
    return rates[0], rates[1]


def describe_winner(rows: Sequence[CrossRow], seeds: int) -> Said:
    """Say which strategy meets every condition with the least risk, and what the others come to."""
    ranked = sorted(rows, key=lambda row: (row.met < seeds, row.lawful.mean))
    first, rest = ranked[0], ranked[1:]
    low = min(rest, key=lambda row: row.lawful.mean)
    top, other = first.lawful, low.lawful
    whole = sum(row.met == seeds for row in rest)
    return bilingual(
        f"Winner: {first.method}, risk {top.mean:.4f} (standard error {top.error:.4f}) under {top.adversary}, "
        f"all conditions met in {first.met} of {seeds} releases. Of the {len(rest)} others {whole} meet all "
        f"conditions every time; the lowest risk among the others is {other.mean:.4f} ({low.method}, "
        f"{other.mean - top.mean:+.4f}), conditions met in {low.met} of {seeds}.",
        f"最良の加工は {first.method}。リスク {top.mean:.4f}（標準誤差 {top.error:.4f}、攻撃 {top.adversary}）、"
        f"{seeds} 回中 {first.met} 回で全条件を満たす。他の {len(rest)} 手法のうち毎回全条件を満たすものは "
        f"{whole} 個。他の手法で最も低いリスクは {other.mean:.4f}（{low.method}、差 {other.mean - top.mean:+.4f}）で、"
        f"{seeds} 回中 {low.met} 回だけ条件を満たす。",
    )


def describe_findings(rules: RecordRules, data: Dataset, rows: Sequence[CrossRow], seeds: Sequence[Seed]) -> list[Said]:
    """Say plainly who wins, and whether the claims of the slides of team 10 hold."""
    by_name = {row.method: row for row in rows}
    few, many = compare_hit_rates(rules, data, seeds[:5])
    plain, deleted = by_name["swap, random deleted"], by_name["swap, easy half deleted"]
    chance, easy = plain.lawful.mean, deleted.lawful.mean
    values = [f"{c.name} {c.value:.3f}" for c in by_name["swap, few deleted"].conditions if c.value is not None]
    kept = ", ".join(values)
    ordered = plain.risks["index"].mean
    swapped = InTurn(delete=DeleteRandom(share=0.45), change=fit(Swap(few=-1), rules.parameters()))
    release, index = swapped.apply(data, rng=seeds[0].rng()), {"index": make_record_adversaries()["index"]}
    shuffled = RiskTest(rules=rules, seeds=seeds, shuffled=True).measure(data, release, index)["index"].mean
    return [
        describe_winner(rows, len(seeds)),
        bilingual(
            f"What swapping keeps: {kept} for the strategy of the slides (swap, at most 25 partners deleted).",
            f"交換で保たれる有用性：スライドの戦略（交換し、相手が 25 人以下の行を削除）では {kept}。",
        ),
        bilingual(
            f"Are few-partner records the easy ones? Hit rate {few:.3f} with at most 25 partners, {many:.3f} "
            "with more.",
            f"相手の少ない行は当てやすいか：的中率は相手が 25 人以下で {few:.3f}、それより多いと {many:.3f}。",
        ),
        bilingual(
            f"Does deleting them lower the risk? {chance:.4f} with random deletion, {easy:.4f} with the easy half "
            "deleted.",
            f"それらを削除するとリスクは下がるか：無作為な削除で {chance:.4f}、当てやすい半分の削除で {easy:.4f}。",
        ),
        bilingual(
            f"Index attack: {ordered:.4f} on a swap in the original's order, {shuffled:.4f} once shuffled.",
            f"順序を使う攻撃：元の順のままの交換には {ordered:.4f}、並べ替えた後は {shuffled:.4f}。",
        ),
    ]


def run_campaign(
    name: str, rules: RecordRules, data: Dataset, seeds: Sequence[Seed]
) -> tuple[list[CrossRow], list[Said]]:
    """Run one data set's cross table."""
    start, rows = process_time(), list[CrossRow]()
    adversaries = make_record_adversaries()
    for row in cross_methods(rules, data, contest_methods(rules), adversaries, seeds):
        rows.append(row)
        top = row.lawful
        print(
            f"{name:<10} {row.method:<26} {top.mean:.4f} ({top.adversary}), index {row.risks['index'].mean:.4f}, "
            f"conditions met {row.met}/{len(seeds)}, {process_time() - start:.0f} s",
            flush=True,
        )
    texts = describe_findings(rules, data, rows, seeds)
    for finding in texts:
        print(f"{name:<10} {finding}", flush=True)
    return rows, texts


def main() -> None:
    """Run the campaign and write its page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=20)
    add_data_option(parser)
    options = parser.parse_args()
    quick = options.quick
    rules = read_record_rules("pwscup2021")
    seeds = [Seed(number) for number in range(2 if quick else options.seeds)]
    sets = {"synthetic": health_records(4190, rng=Seed(2021).rng())}
    real = None if quick else find_data("health/B00.csv", options.data)
    if real is not None:
        sets = {"B00": read_original(real, rules)} | sets
    results = {name: run_campaign(name, rules, data, seeds) for name, data in sets.items()}
    OUT.mkdir(exist_ok=True)
    blocks = [
        block
        for name, (rows, lines) in results.items()
        for block in cross_blocks(bilingual(f"Records: {name}", f"データ：{name}"), rows, lines, len(seeds))
    ]
    (OUT / "health_cross.html").write_text(render_page(CROSS_TITLE, blocks), encoding="utf-8")
    plain = {
        name: {
            "findings": list(lines),
            "rows": {
                row.method: {"met": row.met, "risks": {n: [r.mean, r.error, r.worst] for n, r in row.risks.items()}}
                for row in rows
            },
        }
        for name, (rows, lines) in results.items()
    }
    (OUT / "health_cross.json").write_text(json.dumps(plain, indent=1), encoding="utf-8")
    for rows, _ in results.values():
        best = next(row for row in rows if row.method == "planned")
        assert best.lawful.mean < 0.3, "the planned release fell"


if __name__ == "__main__":
    main()

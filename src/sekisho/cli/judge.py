"""``sekisho judge``: did an attack refute a release's claim to be safe?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli import linkage, recordfiles
from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.kit.files import Guessed, Rules
from sekisho.contest.history.files import read_guess, read_original, read_release
from sekisho.contest.history.referee import judge as verdict
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.safety.interval import Rate
from sekisho.safety.rejection import Bound


def judge(
    rules: Rules,
    guess: Guessed,
    original: Annotated[Path | None, typer.Option("--original", help="The original data.")] = None,
    released: Annotated[Path | None, typer.Option("--released", help="The release handed in.")] = None,
    answers: linkage.Answers = None,
    asked_round: linkage.Round = "",
    bound: Annotated[Bound, typer.Option(help="The contest's union bound or the exact worst case.")] = Bound.UNION,
    as_json: AsJson = False,
) -> None:
    """Judge an attack: exit status 1 if it is effective, so that the release is unsafe.

    Example: `sekisho judge pwscup2018 --original T.csv --released A.csv --guess F1.csv`, and of records
    `sekisho judge pwscup2021 --answers Ea.csv --guess E.csv`
    """
    book = read_rulebook(rules)
    if isinstance(book, RecordRules):
        linkage.sentence(book, answers, guess, asked_round, as_json=as_json)
        return
    data = read_original(recordfiles.needed("original", original), book)
    release = read_release(recordfiles.needed("released", released), book, data)
    judged = verdict(data, release, read_guess(guess, book, release.table, data), book, bound)
    said = "effective: the release is unsafe" if judged.effective else "not effective"
    rate = Rate(hits=judged.hits, trials=judged.claimed)
    baseline = judged.claimed / len(data.domain(book.holder.name))
    words = (
        f"{judged.hits} of {judged.claimed} claims hit ({rate.low:.1%} to {rate.high:.1%}; by chance {baseline:.2f}); "
        f"threshold {judged.threshold}: {said}"
    )
    keys = {
        "claimed": judged.claimed,
        "hits": judged.hits,
        "threshold": judged.threshold,
        "effective": judged.effective,
        "low": rate.low,
        "high": rate.high,
        "baseline_hits": baseline,
    }
    give(keys, words, as_json=as_json, good=not judged.effective)

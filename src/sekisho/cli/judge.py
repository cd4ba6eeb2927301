"""``sekisho judge``: did an attack refute a release's claim to be safe?"""

from __future__ import annotations

from typing import Annotated

import typer

from sekisho.cli.answer import AsJson, give
from sekisho.cli.files import Guessed, Original, Released, Rules
from sekisho.contest.referee import judge as verdict
from sekisho.contest.rules import read_rules
from sekisho.contest.submission import read_guess, read_original, read_release
from sekisho.safety.rejection import Bound


def judge(
    rules: Rules,
    original: Original,
    released: Released,
    guess: Guessed,
    bound: Annotated[Bound, typer.Option(help="The contest's union bound or the exact worst case.")] = Bound.UNION,
    as_json: AsJson = False,
) -> None:
    """Judge an attack: exit status 1 if it is effective, so that the release is unsafe.

    Example: `sekisho judge pwscup2018 --original T.csv --released A.csv --guess F1.csv`
    """
    book = read_rules(rules)
    data = read_original(original, book)
    release = read_release(released, book, data)
    judged = verdict(data, release, read_guess(guess, book, release.table, data), book, bound)
    said = "effective: the release is unsafe" if judged.effective else "not effective"
    words = f"{judged.hits} of {judged.claimed} claims hit; threshold {judged.threshold}: {said}"
    keys = {
        "claimed": judged.claimed,
        "hits": judged.hits,
        "threshold": judged.threshold,
        "effective": judged.effective,
    }
    give(keys, words, as_json=as_json, good=not judged.effective)

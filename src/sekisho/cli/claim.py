"""``sekisho claim``: does the safety claim itself hold of a release, against everybody?"""

from __future__ import annotations

from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, parse_fraction
from sekisho.cli.kit.files import Original, Released, Rules
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.data.history.files import read_release
from sekisho.gate.history.safe_k import check_claim
from sekisho.gate.rulebooks import read_history_terms
from sekisho.safety.claim import ClaimFinding, Standing, TwinClasses
from sekisho.words import Said, join_words

WRITTEN_OUT = 12
"""Up to this size chances are written out."""


def claim(
    rules: Rules,
    *,
    original: Original,
    released: Released,
    p: Annotated[str, typer.Option("--p", help="The chance a person that the claim allows; as the rules say.")] = "",
    as_json: AsJson = False,
) -> None:
    """Check the claim H0 itself, class of twins by class: exit status 1 if it does not hold, 3 if it is not proven.

    H0: for every set S of people, nobody names all of S rightly with a chance above p to the power of |S|.

    Example: `sekisho claim pwscup2018 --original T.csv --released A.csv`
    """
    book = read_history_terms(rules)
    allowed = parse_fraction("p", p) if p else book.verdict.p
    data, book = open_and_say(original, book)
    release = read_release(released, book, data)
    with show_progress(Said("looking for candidates")):
        finding = check_claim(data, release, allowed)
    _make_answer(finding).deliver(as_json=as_json)


def _make_answer(finding: ClaimFinding) -> Answer:
    worst, standing, pattern = finding.worst, finding.standing, finding.pattern
    keys = {
        "holds": {Standing.HOLDS: True, Standing.REFUTED: False}.get(standing),
        "standing": standing,
        "worst": None if worst is None else _keys(worst),
        "classes": [_keys(each) for each in finding.by_size],
        "assumes": finding.assumption,
        "in_order": pattern is not None and pattern.in_order,
        "pseudonyms": None if pattern is None else pattern.as_dict(),
    }
    lines = [_describe_class(each) for each in finding.by_size]
    gap = (
        Said("classes too small for it hide among further candidates")
        if pattern is None
        else Said("{pattern}: they were hardly drawn at random", pattern=pattern)
    )
    sentences = {
        Standing.HOLDS: Said(
            "the claim holds against everybody: proven if {assumption}", assumption=finding.assumption
        ),
        Standing.NOT_PROVEN: Said("the claim is not proven: {gap}", gap=gap),
        Standing.REFUTED: Said("the claim does not hold: one who has the original names a class whole too often"),
    }
    words = join_words([sentences[standing], *lines], "\n")
    return Answer(keys=keys, words=words, good=standing is not Standing.REFUTED, review=standing is Standing.NOT_PROVEN)


def _keys(each: TwinClasses) -> dict[str, object]:
    return {
        "size": each.size,
        "chance": float(each.chance),
        "allowed": float(each.allowed),
        "classes": each.classes,
        "closed": each.closed,
        "standing": each.standing,
    }


def _describe_class(each: TwinClasses) -> str:
    short = each.size <= WRITTEN_OUT
    figure = f"1/{each.size}!" + (f" = {each.chance}" if short else "")
    return Said(
        "  {classes:,} {classes:class|classes} of {size}, {closed:,} closed: named whole with {chance}, "
        "allowed {allowed}: {standing}",
        classes=each.classes,
        size=each.size,
        closed=each.closed,
        chance=figure if each.closed else Said("{chance} at most", chance=figure),
        allowed=f"({each.p})^{each.size}" + (f" = {each.allowed}" if short else ""),
        standing=each.standing.words,
    )

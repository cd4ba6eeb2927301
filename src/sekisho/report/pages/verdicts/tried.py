"""What was tried: how the candidate on the page was chosen, and which ways to protect gave nothing, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sekisho.data.shape import Shape
from sekisho.gate.outcome import Candidate, Outcome, Verdict
from sekisho.report.kit.blocks import Block, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Words, bilingual
from sekisho.words import Said, join_words

CHOSEN = Said(" (chosen)")
SHOWN = Said(" (shown on this page)")
ALONE = Said("One way to protect the data was tried.")
ALONE_TABLE = Said("One pattern was tried.")
BEST = Said(
    "Every way to protect the data that was tried. The one with the best verdict, and among those the least loss, was "
    "chosen."
)
ALL_REFUSED = Said(
    "Every way to protect the data that was tried, and all of them are refused. This page shows the least harmful: the "
    "fewest reasons to refuse it, then the weakest strongest attack, and only then the least loss."
)
REASONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), japanese)
    for pattern, japanese in (
        (r"(\d+) records cannot match (\d+) at a time", "{0} 件のレコードでは {1} 件ずつそろえられません"),
        (r"(\d+) records cannot form a (?:class|group) of (\d+)", "{0} 件のレコードでは {1} 件の組を作れません"),
        (r"(\d+) customers cannot form a group of (\d+)", "{0} 人の顧客では {1} 人の組を作れません"),
        (
            (
                r"not even all (\S+) records together keep l = (\S+) \(\S+\): "
                r"(.+) has (\d+) values, the most frequent (\S+) times"
            ),
            "{0} 件すべてを一つの組にしても l = {1} になりません。{2} の値は {3} 種類、最も多い値は {4} 件です",
        ),
        (
            r"no vector of levels keeps the rule, not even the coarsest",
            "最も粗い一般化でも、求められた条件を満たしません",
        ),
        (r"only pure noise \(retention 0\) keeps k at (\S+)", "k = {0} を保つには、値を何も残せません（維持率 0）"),
        (r"no retention keeps k at (\S+?): .+", "どの維持率でも k = {0} を保てません"),
        (r"no sample keeps k at (\S+) with .+", "どの大きさの標本でも k = {0} を保てません"),
        (r"no sample keeps the risk at (\S+?): .+", "どの大きさの標本でもリスクを {0} に抑えられません"),
        (
            r"nobody can hide among (\S+) where there are (\d+) records",
            "{1} 件のレコードでは {0} 件の中に隠れられません",
        ),
        (
            r"a test set needs (\d+) kept and (\d+) deleted records; there are (\d+) and (\d+)",
            "テストには残したレコードが {0} 件、削除したレコードが {1} 件必要ですが、{2} 件と {3} 件しかありません",
        ),
        (r"nothing is published: .+", "公開されるレコードがありません"),
        (r"a history without rows cannot be protected", "行のない履歴は加工できません"),
        (
            r"the cell (.+) cannot be protected(?: .+)?: even with every cell suppressed .+",
            "{0} は、秘匿できるセルをすべて秘匿しても保護できません",
        ),
        (
            r"(\d+) unsafe cells cannot be protected even if every cell is suppressed that may be: (.+)",
            "秘匿できるセルをすべて秘匿しても、{0} 個の秘匿すべきセルを保護できません（{1}）",
        ),
        (
            r"unsafe cells cannot be protected from insiders even if .+",
            "秘匿できるセルをすべて秘匿しても、提供者から保護できないセルがあります",
        ),
    )
)
"""Why nothing came of a way to protect, and the same in Japanese."""


def name_candidate(outcome: Outcome[Any], each: Candidate[Any]) -> Words:
    """Return a candidate's name, with a mark on the one that the page tells of; what is refused is not chosen."""
    mark = "" if each is not outcome.best else SHOWN if outcome.verdict is Verdict.REFUSE else CHOSEN
    return join_words((translate_name(each.label), mark))


def tell_choice(outcome: Outcome[Any]) -> Said:
    """Return how the candidate that the page tells of was chosen."""
    if len(outcome.candidates) == 1:
        return ALONE_TABLE if outcome.shape is Shape.TABLE else ALONE
    return ALL_REFUSED if outcome.verdict is Verdict.REFUSE else BEST


def translate_reason(reason: str) -> Words:
    """Return in both languages why a way to protect gave nothing; a stranger's reason stays as it is."""
    for pattern, japanese in REASONS:
        match = pattern.fullmatch(reason)
        if match:
            return bilingual(reason, japanese.format(*match.groups()))
    return reason


def impossible_blocks(impossible: Mapping[str, str], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the ways to protect that gave nothing; the public edition without the reasons, which tell of the data."""
    if not impossible:
        return ()
    own = edition is Edition.CONFIDENTIAL
    rows = tuple(
        (translate_name(label), *((translate_reason(reason),) if own else ())) for label, reason in impossible.items()
    )
    head = (Said("method"), *((Said("why"),) if own else ()))
    return (TableBlock(head=head, rows=rows, caption=Said("What could not be made")),)

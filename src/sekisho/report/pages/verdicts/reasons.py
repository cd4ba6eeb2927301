"""Why a release may not simply leave: the rules of the gate in both languages, each with its figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.policy import ALLOWED, POLICY_RULES
from sekisho.report.kit.blocks import Block, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words
from sekisho.words import Said

ASKS: Mapping[Verdict, Said] = {
    Verdict.RELEASE: Said("reason|told only"),
    Verdict.REVIEW: Said("review"),
    Verdict.REFUSE: Said("refuse"),
}


def describe_rule(rule: str) -> Words:
    """Return when a rule speaks; a stranger's rule by its name."""
    known = POLICY_RULES.get(rule)
    return rule if known is None else known.meaning


def reason_blocks(reasons: Sequence[Reason], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the reasons as a table; the public edition without their figures, which may name a cell or a column."""
    allowed = tuple(each for each in reasons if each.rule == ALLOWED)
    if allowed:
        return (
            *_tell_allowed(allowed),
            *reason_blocks([each for each in reasons if each.rule != ALLOWED], edition=edition),
        )
    if not reasons:
        return ()
    own = edition is Edition.CONFIDENTIAL
    head: tuple[Words, ...] = (Said("reason"), Said("asks to"))
    rows = tuple((describe_rule(each.rule), ASKS[each.verdict], *((each.detail,) if own else ())) for each in reasons)
    unique = tuple(dict.fromkeys(rows))
    caption = Said("Why the verdict is no better")
    return (TableBlock(head=(*head, *((Said("number|figure"),) if own else ())), rows=unique, caption=caption),)


def _tell_allowed(reasons: Sequence[Reason]) -> tuple[Block, ...]:
    """Return the columns that name people and leave, each with the recipe's reason; both editions tell them."""
    rows = tuple((each.detail, ASKS[each.verdict]) for each in reasons)
    head = (Said("column, and why it leaves"), Said("asks to"))
    caption = Said("Columns that name people and leave, because the recipe allows it by name")
    return (TableBlock(head=head, rows=rows, caption=caption),)

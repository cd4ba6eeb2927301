"""What a release of records is proven to keep, and the verdict in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.review import DerivedCells
from sekisho.gate.records.protection import ExaminedProtection
from sekisho.gate.records.recount import Promise, Recount
from sekisho.report.kit.blocks import Banner, Block, Bullets, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_decimal, format_percent
from sekisho.report.pages.risk.comparison import name_attack
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said, join_words

PROVEN = Said("proven: counted from what is written")


def state_verdict(protection: ExaminedProtection) -> Banner:
    """Return the verdict: green only if something is proven, nothing is told by itself, nobody must look at it."""
    safety = say_safety(protection.recounts, protection.fewest_candidates or 0)
    parts: list[Words] = [safety, _say_attacks(protection), _say_use(protection)]
    good = not protection.review.needed and protection.hides_everybody and not protection.disclosed
    return Banner(
        text=join_words((*parts, *say_disclosed(protection.disclosed))), tone=Tone.GOOD if good else Tone.WARN
    )


def say_disclosed(records: int) -> tuple[Said, ...]:
    """Return what is told without finding anybody: of how many records; nothing where it is of none."""
    if not records:
        return ()
    return (
        Said(
            " For {records:,} {records:record|records} all records of the class have one sensitive "
            "value, which is told without finding the record.",
            records=records,
        ),
    )


def say_safety(recounts: Sequence[Recount], fewest: int) -> Said:
    """Return what is proven about who can be found.

    Args:
        recounts: what was promised, counted.
        fewest: of local suppression, the fewest records that admit a person's true keys.
    """
    first = next((each for each in recounts if each.promise in (Promise.ALIKE, Promise.MATCHED)), None)
    if first is None:
        return Said("Nothing is proven about who can be found: this method promises nothing.")
    k = int(first.counted)
    if first.promise is Promise.ALIKE:
        return Said(
            "Every record is written like at least {others:,} {others:other|others} in the keys (k = "
            "{k:,}), proven by counting what is written.",
            others=k - 1,
            k=k,
        )
    return Said(
        "Every record is matched by at least {others:,} {others:other|others} where a withheld cell "
        "matches any value (k = {k:,}), proven by counting what is written. Whoever knows a person's "
        "keys finds {fewest:,} or more records that fit.",
        others=k - 1,
        k=k,
        fewest=fewest,
    )


def _say_attacks(protection: ExaminedProtection) -> Words:
    top = protection.strongest
    was = next(each for each in protection.before.attacks if (each.adversary, each.keys) == (top.adversary, top.keys))
    name = name_attack(top, protection.after)
    then, now = format_percent(was.share or 0.0), format_percent(top.share or 0.0)
    return Said(
        " Of the attacks tried the strongest is {name}: it finds {now} of the people looked for, {then} before.",
        name=name,
        now=now,
        then=then,
    )


def _say_use(protection: ExaminedProtection) -> Said:
    ncp = protection.after.scores["ncp"].value
    if protection.judged:
        return say_usefulness(ncp, useful=protection.review.useful)
    pairs = protection.after.scores["pair-tables"].value
    changed, wider = (format_percent(share) for share in protection.measure_keys())
    return Said(
        " What is left of its use: {changed} of the cells of the keys were changed, {wider} made wider or withheld; "
        "the tables of two columns moved by {pairs:.3f}, of at most 1.",
        changed=changed,
        wider=wider,
        pairs=pairs,
    )


def say_usefulness(ncp: float, *, useful: bool) -> Said:
    """Return whether a method calls its own release of use."""
    if not useful:
        return Said(
            " The release is of hardly any use (NCP {ncp:.3f}, of at most 1): a person must look at it.", ncp=ncp
        )
    return Said(" The release is useful: NCP {ncp:.3f}, of at most 1, is lost.", ncp=ncp)


def promise_blocks(recounts: Sequence[Recount], fewest: int, derived: DerivedCells | None = None) -> list[Block]:
    """Return what is guaranteed, each figure with how it is known; or that nothing is.

    Args:
        recounts: what was promised, counted.
        fewest: of local suppression, the fewest records that admit a person's true keys.
        derived: likewise, what can be worked out of hidden cells; None where nobody counted.
    """
    heading = Heading(text=Said("What is guaranteed"))
    if not recounts:
        return [
            heading,
            Paragraph(
                text=Said(
                    "Nothing. The method gives no guarantee that could be counted; the figures below say what was "
                    "counted and, where attacks were tried, what they found, no more."
                )
            ),
        ]
    rows = tuple((*_describe_recount(each), PROVEN) for each in recounts)
    head = (
        Said("guarantee"),
        Said("asked for"),
        Said("worst class of the file"),
        Said("how it is known"),
    )
    return [
        heading,
        TableBlock(head=head, rows=rows, numeric=(1, 2)),
        Bullets(items=tuple(_say_meaning(each, fewest, derived) for each in recounts)),
    ]


def _describe_recount(each: Recount) -> tuple[Words, Words, Words]:
    column = each.column
    if each.promise in (Promise.ALIKE, Promise.MATCHED):
        name = Said("k records alike")
        if each.promise is Promise.MATCHED:
            name = Said("k records that match")
        return name, format_count(int(each.wanted)), format_count(int(each.counted))
    if each.promise is Promise.CLOSE:
        order = Said("ordered") if each.kind == "ordered" else Said("equal")
        name = Said("t-closeness of {column} ({order})", column=column, order=order)
        return name, f"≤ {format_decimal(each.wanted)}", format_decimal(each.counted)
    kinds = {
        Diversity.DISTINCT: Said("distinct"),
        Diversity.ENTROPY: Said("entropy"),
        Diversity.RECURSIVE: Said("recursive, ratio below c"),
    }
    kind = kinds[Diversity(each.kind)]
    name = Said("l-diversity of {column} ({kind})", column=column, kind=kind)
    if each.kind == Diversity.DISTINCT:
        return name, format_count(int(each.wanted)), format_count(int(each.counted))
    sign = "< " if each.kind == Diversity.RECURSIVE else "≥ "
    return name, join_words((sign, format_decimal(each.wanted))), format_decimal(each.counted)


def _say_meaning(each: Recount, fewest: int, derived: DerivedCells | None) -> Said:
    if each.promise is Promise.ALIKE:
        return Said(
            "Who knows a person's keys, and nothing else, cannot tell his record from k - 1 others: where each is as "
            "likely he names the right one with a chance of 1/k at most."
        )
    if each.promise is Promise.MATCHED:
        return Said(
            "As published, every record has k - 1 others that agree with it wherever both are not withheld. That is "
            "less than k records alike: who knows a person's keys finds {fewest:,} or more records that fit him, and "
            "{hidden}.",
            fewest=fewest,
            hidden=_say_hidden(derived),
        )
    if each.promise is Promise.DIVERSE:
        return Said(
            "In every class {column} has values that are diverse in this sense; values that mean nearly the same "
            "count as different.",
            column=each.column,
        )
    return Said(
        "What a class tells about {column} beyond what the whole release tells everybody is t at most.",
        column=each.column,
    )


def _say_hidden(derived: DerivedCells | None) -> Said:
    """Return what who reads the release alone works out of hidden cells: as was found, where it was counted."""
    if derived is None:
        return Said("who reads the release alone can often work out hidden cells")
    if not derived.narrowed:
        return Said(
            "of {cells:,} hidden {cells:cell|cells} who reads the release alone can work out none, which was counted "
            "and is not promised",
            cells=derived.cells,
        )
    return Said(
        "who reads the release alone can narrow {narrowed:,} of {cells:,} hidden {cells:cell|cells}",
        narrowed=derived.narrowed,
        cells=derived.cells,
    )

"""What a person must look at before a release leaves, on top of every page about one; and what was allowed, and why."""

from __future__ import annotations

from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.data.review import LEAST_RETENTION, DerivedCells, ReleaseReview
from sekisho.report.kit.blocks import Banner, Block, Bullets, TableBlock, Tone
from sekisho.report.kit.words import Words
from sekisho.words import Said


def review_blocks(review: ReleaseReview) -> list[Block]:
    """Return what a person must look at, and which columns were allowed; nothing where there is nothing."""
    items: list[Words] = [_say_identifying(each) for each in review.identifying]
    if review.derivable:
        items.append(_say_derivable(", ".join(review.derivable), review.derived))
    if review.noisy:
        items.append(_say_noisy(", ".join(review.noisy)))
    elif not review.useful:
        items.append(Said("The release is of hardly any use."))
    head = Said("A person must look at this before it leaves.")
    blocks: list[Block] = [Banner(text=head, tone=Tone.WARN), Bullets(items=tuple(items))] if items else []
    if review.allowed:
        blocks.append(
            TableBlock(
                head=(Said("column allowed to leave"), Said("reason given")),
                rows=tuple(review.allowed.items()),
                caption=Said("Allowed by name, though they may name people"),
            )
        )
    return blocks


def _say_identifying(each: Identifying) -> Said:
    grounds = {
        Ground.HEADER: Said("its header says so ({sign})", sign=each.sign),
        Ground.CONTENT: Said("its values say so ({sign})", sign=each.sign),
        Ground.DISTINCT: Said("almost every value is distinct"),
    }
    why = grounds[each.ground]
    return Said(
        "{column} names people: {why}. Leave it out, name it as the identifier, or allow it by name with a reason.",
        column=each.column,
        why=why,
    )


def _say_derivable(names: str, derived: DerivedCells | None) -> Said:
    """Return what can be worked out of hidden cells: what was found, or what is to be feared where nobody counted."""
    if derived is None:
        return Said(
            "{names}: whoever reads the release alone can often work out hidden cells. A cell is hidden only where "
            "showing it would leave somebody with too few matches, so values that would not are ruled out. Nobody "
            "counted how many.",
            names=names,
        )
    if not derived.narrowed:
        return Said(
            "{names}: of {cells:,} hidden {cells:cell|cells} none can be narrowed by whoever reads the release alone, "
            "as was counted. The method does not promise it: a cell is hidden only where showing it would leave "
            "somebody with too few matches.",
            names=names,
            cells=derived.cells,
        )
    return Said(
        "{names}: whoever reads the release alone can narrow {narrowed:,} of {cells:,} hidden {cells:cell|cells}, and "
        "knows {known:,}. A cell is hidden only where showing it would leave somebody with too "
        "few matches, so values that would not are ruled out.",
        names=names,
        narrowed=derived.narrowed,
        cells=derived.cells,
        known=derived.known,
    )


def _say_noisy(names: str) -> Said:
    least, worth = f"{float(LEAST_RETENTION):g}", f"{1 / LEAST_RETENTION**2}"
    return Said(
        "Of hardly any use: less than {least} is kept of {names}; the records are worth less than one in {worth} "
        "unchanged ones.",
        least=least,
        names=names,
        worth=worth,
    )

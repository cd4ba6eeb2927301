"""How a run ends, on top of its page: the answer in large letters, why, and which file may leave or what would help."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.ending import Ending
from sekisho.gate.outcome import Verdict
from sekisho.report.kit.blocks import Banner, Block, Paragraph, Tone
from sekisho.report.pages.verdicts.account import account_blocks
from sekisho.words import Said

WORDS = {
    Verdict.RELEASE: Said("may be released"),
    Verdict.REVIEW: Said("to be reviewed"),
    Verdict.REFUSE: Said("must not leave"),
}
TONES = {Verdict.RELEASE: Tone.GOOD, Verdict.REVIEW: Tone.WARN, Verdict.REFUSE: Tone.BAD}


def put_ending_first(ending: Ending | None, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks of a page with its ending on top, its own first sentence where it says more, the account."""
    if ending is None:
        return tuple(blocks)
    place = next((at for at, block in enumerate(blocks) if isinstance(block, Banner)), None)
    own = None if place is None else blocks[place]
    others = [block for at, block in enumerate(blocks) if at != place]
    tone = Tone.WARN if ending.cautions and ending.verdict is Verdict.RELEASE else TONES[ending.verdict]
    top = Banner(text=ending.explanation, tone=tone, headline=ending.headline, below=ending.last_line)
    said = isinstance(own, Banner) and not str(ending.why).endswith(str(own.text))
    first = (Paragraph(text=own.text),) if isinstance(own, Banner) and said else ()
    account = () if ending.account is None else account_blocks(ending.account)
    return (top, *first, *account, *others)

"""What leaves, and why it may, as a page shows it: the account of a run's candidate, and what is still to be answered.

The account is plain data that the run wrote from the same value as the report. What a newer version says of a column
since then is shown beside it; what counts is said by its next run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sekisho.gate.account.account import COVER_WORDS
from sekisho.gate.account.answers import AccountAnswer
from sekisho.safety.cover import Coverage
from sekisho.server.desk.answers import ANSWER_WORDS, REASONED, find_given, list_offered_reasons
from sekisho.server.desk.edits import Files
from sekisho.server.desk.plain_data import Plain
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """A column that leaves, or an attacker.

    Attributes:
        subject: its name.
        cover: what covers it.
        is_open: whether nothing does.
        because: who says so, or why it is open, by language.
        alone: how many people stand alone by it; None where nobody counted.
        answers: what closes it by one click, with what the button says.
        reasoned: what closes it with a reason, likewise.
        given: what was answered since the run; None if nothing was.
        offered: the reason that the proposed schema offers for a person to sign; empty if it offers none.
    """

    subject: str
    cover: Said
    is_open: bool
    because: Mapping[str, str]
    alone: int | None
    answers: Sequence[tuple[str, Said]]
    reasoned: Sequence[tuple[str, Said]]
    given: Said | None
    offered: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAccount:
    """The account of a candidate, open entries first.

    Attributes:
        words: it as a sentence, by language.
        is_closed: whether everything is accounted for.
        entries: of columns or attackers.
        of_attackers: whether they are attackers.
        least: the smallest class for whoever knows harmless columns beside the keys; None where nobody does.
        version: of the run, where the page shows a newer one; None where it shows the same.
    """

    words: Mapping[str, str]
    is_closed: bool
    entries: Sequence[ShownEntry]
    of_attackers: bool
    least: int | None
    version: int | None = None

    @property
    def counts_alone(self) -> bool:
        """Whether it says how many people stand alone by a column."""
        return any(entry.alone is not None for entry in self.entries)

    @property
    def waiting(self) -> int:
        """How many open entries nobody has answered since."""
        return sum(entry.is_open and entry.given is None for entry in self.entries)


def show_account(told: Plain | None, files: Files, *, version: int | None = None) -> ShownAccount | None:
    """Return an account as a page shows it; None where a run wrote none.

    Args:
        told: what the run wrote.
        files: of the version that the page shows.
        version: of the run, where that is an earlier one.
    """
    if told is None:
        return None
    offered = list_offered_reasons(files)
    entries = [_show_entry(entry, files, offered.get(entry["subject"], "")) for entry in told["entries"]]
    return ShownAccount(
        words=told["words"],
        is_closed=told["closed"],
        entries=sorted(entries, key=lambda entry: not entry.is_open),
        of_attackers=told["attackers"],
        least=told["least"],
        version=version,
    )


def _show_entry(told: Plain, files: Files, offered: str) -> ShownEntry:
    cover = Coverage(told["cover"])
    answers = tuple(map(AccountAnswer, told["answers"]))
    given = find_given(files, told["subject"], answers)
    because = told["by"] if isinstance(told["by"], dict) else {"en": told["by"], "ja": told["by"]}
    return ShownEntry(
        subject=told["subject"],
        cover=COVER_WORDS[cover],
        is_open=cover.is_open,
        because=because,
        alone=told["alone"],
        answers=[(answer.value, ANSWER_WORDS[answer]) for answer in answers if answer not in REASONED],
        reasoned=[(answer.value, ANSWER_WORDS[answer]) for answer in answers if answer in REASONED],
        given=None if given is None else ANSWER_WORDS[given],
        offered=offered if AccountAnswer.HARMLESS in answers else "",
    )

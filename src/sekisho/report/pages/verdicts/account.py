"""What leaves, and why it may: the account of a release as a table, a row for each column or attacker."""

from __future__ import annotations

from sekisho.gate.account.account import COVER_WORDS, Account, AccountEntry
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words
from sekisho.words import Said, join_words

NOTHING = join_words(())


def account_blocks(account: Account) -> tuple[Block, ...]:
    """Return the account as a heading and a table, its sentence being the ending's; nothing of a contest's round."""
    if account.asks_round or not account.entries:
        return ()
    subject: Words = Said("attacker") if account.attackers else Said("column")
    head: tuple[Words, ...] = (subject, Said("what covers it"), Said("because"))
    entries = account.entries if account.earlier is None else (*account.entries, account.earlier)
    counted = any(entry.alone is not None for entry in entries)
    if counted:
        head = (*head, Said("stand alone by it"))
    table = TableBlock(
        head=head,
        rows=tuple(_list_cells(entry, counted=counted) for entry in entries),
        numeric=(3,) if counted else (),
    )
    return (
        Heading(text=Said("What leaves, and why it may")),
        *_tell_harmless(account),
        table,
    )


def _list_cells(entry: AccountEntry, *, counted: bool) -> tuple[Words, ...]:
    cells: tuple[Words, ...] = (entry.subject, COVER_WORDS[entry.cover], entry.by)
    alone: Words = NOTHING if entry.alone is None else f"{entry.alone:,}"
    return (*cells, alone) if counted else cells


def _tell_harmless(account: Account) -> tuple[Block, ...]:
    """Return to what k falls for whoever knows harmless columns beside the keys."""
    if account.harmless is None or account.harmless.least is None:
        return ()
    words = Said(
        "Whoever knows the harmless columns beside the keys tells classes of {least:,} {least:person|people} apart.",
        least=account.harmless.least,
    )
    return (Paragraph(text=words),)

"""Files of attacks on histories: lines ``pseudonym,customer``, checked and read, or written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from sekisho.attack.guess import Guess
from sekisho.data.files.fault_notes import CELL
from sekisho.data.files.layout import HasLayout
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.history.files import claim_columns, list_pseudonyms, write_claims
from sekisho.words import Said


def read_guess(path: Path, rules: HasLayout, published: MaskedTable, original: Dataset) -> Guess:
    """Return an attack: lines ``pseudonym,customer``, each pseudonym at most once, customers as often as one likes."""
    pseudonyms = pl.Series(np.unique(list_pseudonyms(published))).cast(pl.String)
    named, person = claim_columns(rules)
    sheet = rules.layout.form.read(path, (named, person), expected=len(pseudonyms))
    notes, pseudonym, customer = sheet.notes, sheet.cells[named], sheet.cells[person]
    unknown = ~pseudonym.is_in(pseudonyms.implode()).to_numpy()
    notes.note(
        unknown, "pseudonym", "unknown", pseudonym, Said("pseudonym {value} is not in the published table", value=CELL)
    )
    doubled = (~pseudonym.is_first_distinct()).to_numpy()
    notes.note(
        doubled, "pseudonym", "doubled", pseudonym, Said("pseudonym {value} was already named above", value=CELL)
    )
    nobody = ~customer.is_in(pl.Series(original.domain(rules.layout.holder.name)).implode()).to_numpy()
    notes.note(
        nobody, person, "unknown", customer, Said("{person} {value} is not in the original", person=person, value=CELL)
    )
    notes.raise_faults()
    names = pseudonym.cast(pl.Int64).to_numpy()
    return Guess(published=names, person=tuple(customer.to_list()), chance=np.full(len(names), np.nan))


def write_guess(guess: Guess, rules: HasLayout) -> bytes:
    """Return an attack as the contest's file."""
    return write_claims(guess.published.tolist(), guess.person, rules)

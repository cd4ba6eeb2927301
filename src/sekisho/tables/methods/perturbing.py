"""Counts with keyed noise as a way to publish a table: what is shown, what it says, and a digest that commits to keys.

The numbers depend on the records behind the table: each has a key, and the key of a cell is a keyed hash of the sum of
its records' keys (:mod:`sekisho.tables.perturb.keys`). Keys that are drawn are kept before a number is shown: were they
lost, the next table of these people would have other noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.provenance import digest_file
from sekisho.tables.audit.statements import ReaderKnowledge
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.files.records import RecordsBehind, RecordsRead
from sekisho.tables.methods import MadeRelease
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.evidence import DifferenceFigures
from sekisho.tables.perturb.finding import compare_schemes, describe_noise, tell_summed
from sekisho.tables.perturb.keys import (
    KeptKeys,
    KeyTurnover,
    RecordKeys,
    Wholes,
    Words,
    keep_keys,
    place_words,
    read_shares,
)
from sekisho.tables.perturb.method import Additivity, PerturbedTable, perturb_counts, sum_keys
from sekisho.tables.perturb.noise_file import read_noise
from sekisho.tables.perturb.posterior import KeyScheme
from sekisho.tables.perturb.rows import UNIT
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PerturbMethod:
    """Counts of records with noise by keys: the same people have the same noise in every table.

    Attributes:
        noise_file: the perturbation table, as ``sekisho plan noise`` writes it.
        key_file: the file of the record keys, confidential; drawn and written where there is none.
        identity: the column that tells records apart; their rows in the file if empty.
        additive: what becomes of sums: ``no``, ``sum`` or ``closest``.
        summed: instead of a file of keys, the column of another program's keys from 0 to 1, which add up: for
            comparison only.
        seconds: after which the audit ends, and what it left open is called unsafe; None for no limit.
    """

    noise_file: Path | None = None
    key_file: Path | None = None
    identity: str = ""
    additive: Additivity = Additivity.NO
    summed: str = ""
    seconds: float | None = None
    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    needs_records: ClassVar[bool] = True

    @property
    def usual_width(self) -> float:
        """What the number leaves open that tells most."""
        return float(read_noise(_need("noise_file", self.noise_file)).least_width)

    def make(self, table: Table, *, rng: np.random.Generator, records: RecordsBehind | None = None) -> MadeRelease:
        """Return the counts with noise.

        Raises:
            ParameterError: there are no records, they are not counted, or their keys are not to be used.
            InfeasibleError: no additive table was found.
        """
        del rng  # keys are drawn once and kept
        noise = read_noise(_need("noise_file", self.noise_file))
        if records is None:
            raise ParameterError("microdata", Said("be given: keys are those of records, and cells have none"), None)
        turnover = self._compare_records(records)
        drawn = self._keep_keys(records)
        places = self._place_summed(table, records) if drawn is None else _place_cells(table, records, drawn)
        commitment = "" if drawn is None else drawn[-1].keys.commitment
        alone = records.parts[0].tabulation.dimensions if len(records.parts) == 1 else ()
        perturbed = perturb_counts(table, alone, noise, places, additive=self.additive)
        scheme = KeyScheme.SUMMED if self.summed else KeyScheme.HASHED
        difference, evidence = DifferenceFigures.of(noise), None if self.summed else perturbed.find_evidence()
        guesses = compare_schemes(noise) if self.summed else {}
        figures = {
            **describe_noise(perturbed, difference, evidence, scheme),
            "against": [ReaderKnowledge.RULE.value],
            "key_file": None if self.key_file is None else str(self.key_file),
            "commitment": commitment or None,
            **({"guesses": {each.value: one.as_dict() for each, one in guesses.items()}} if guesses else {}),
        }
        return MadeRelease(
            release=release_counts(perturbed, commitment),
            figures=figures,
            remarks=(difference.tell(), *(() if evidence is None else (evidence.tell(),))),
            notices=() if drawn is None else _tell_drawn(drawn),
            evidence=evidence,
            weakness=tell_summed(guesses) if guesses else None,
            unconsidered=turnover.tell(),
            audit_seconds=self.seconds,
        )

    def _compare_records(self, records: RecordsBehind) -> KeyTurnover:
        """Return how the records are to those that the file of keys, as it stands, was used for."""
        place = self.key_file
        if self.summed or not self.identity or place is None or not place.exists():
            return KeyTurnover.of(None, ())
        names = chain.from_iterable(read.read_column(self.identity) for read in records.parts)
        return KeyTurnover.of(RecordKeys.read(place), names)

    def _keep_keys(self, records: RecordsBehind) -> list[KeptKeys] | None:
        """Return the keys of the records of each part, kept from now on; None where another program's are asked for."""
        if self.summed:
            return None
        place = _need("key_file", self.key_file)
        return [self._keep(read, place) for read in records.parts]

    def _place_summed(self, table: Table, records: RecordsBehind) -> Wholes:
        words = [read_shares(read.read_column(self.summed), self.summed) for read in records.parts]
        return place_words(_sum_cells(table, records, words))

    def _keep(self, read: RecordsRead, place: Path) -> KeptKeys:
        _refuse_sums(read)
        names = read.read_column(self.identity) if self.identity else []
        digest, rows = digest_file(read.source), read.frame.height
        kept = keep_keys(place, read.source, digest, identity=self.identity, records=names, rows=rows)
        kept.save(place)
        return kept


def _place_cells(table: Table, records: RecordsBehind, kept: Sequence[KeptKeys]) -> Wholes:
    """Return the key of each cell as a place."""
    return kept[-1].keys.place_cells(_sum_cells(table, records, [each.words for each in kept]))


def _tell_drawn(kept: Sequence[KeptKeys]) -> tuple[Said, ...]:
    """Return that keys were drawn and must be kept; nothing where there were some already."""
    if not any(each.new for each in kept):
        return ()
    count = len(kept[-1].keys.keys)
    return (Said("The keys of {count:,} records were drawn; keep their file, and keep it secret.", count=count),)


def _sum_cells(table: Table, records: RecordsBehind, words: Sequence[Words]) -> Words:
    """Return the sum of the records' keys for every cell; 0 for those that no part shows."""
    sums = np.zeros(len(table), dtype=np.uint64)
    for read, at, own in zip(records.parts, records.places, words, strict=True):
        _refuse_sums(read)
        sums[at] = sum_keys(read.tabulation.dimensions, read.tabulation.place_records(read.frame), own)
    return sums


def _need(name: str, path: Path | None) -> Path:
    if path is None:
        raise ParameterError(name, Said("name a file"), None)
    return path


def _refuse_sums(read: RecordsRead) -> None:
    summed = read.tabulation.value or read.tabulation.weight
    if summed is not None:
        raise ParameterError("value", Said("not be given: only counts of records have a row of noise"), summed)


def release_counts(perturbed: PerturbedTable, commitment: str) -> ShownRelease:
    """Return a table with noise as a release; the keys are not in it, ``commitment`` is their digest.

    No least change is claimed: chance made it.
    """
    rows = [
        [[target, units] for target, units in zip(row.targets, row.units, strict=True) if units]
        for row in perturbed.noise.rows
    ]
    moved = perturbed.additive is Additivity.CLOSEST
    before = {"before": perturbed.looked.tolist()} if moved else {}
    return ShownRelease(
        table=perturbed.table,
        method="perturb",
        parameters={"rows": rows, "unit": UNIT, "additive": perturbed.additive.value, **before},
        shown=perturbed.shown.astype(np.float64),
        statements=perturbed.statements,
        cost=float(np.abs(perturbed.changes).sum()),
        drawn=True,
        commitment=commitment,
    )

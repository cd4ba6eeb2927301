"""The expensive steps of a run: a release made, measured, a guess made, a pattern searched and proven.

Where a step is kept it is taken from there. Whatever says how safe a release is (hits, thresholds, classes, guarantees)
and the verdict are always computed anew, and the proof of a pattern is checked again; how useful it is may be kept.

Releases, guesses and scores as arrays and plain data, and back.

Only what can be told whole is written: a release of a special kind, or one that reports things that JSON cannot hold,
is not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from sekisho.attack import Adversary
from sekisho.attack.guess import Guess
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import Labels, MarkedNumbers, MaskedTable, Release
from sekisho.errors import ParameterError, SekishoError
from sekisho.gate.cache.content import (
    UnwritableError,
    describe_content,
    digest_dataset,
    digest_program,
    digest_release,
    digest_table,
)
from sekisho.gate.cache.store import StepStore, StoredStep, make_key
from sekisho.gate.certificate.canonical import write_canonical
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.score import Direction, Score
from sekisho.words import Said

if TYPE_CHECKING:  # people need no solver's matrices
    from sekisho.tables.model.table import Table


def encode_release(release: Release, schema: Schema) -> StoredStep:
    """Return a release of data of this schema as it is kept.

    Raises:
        UnwritableError: it is of a special kind, or cannot be told whole.
    """
    if type(release) is not Release or release.table.schema != schema:
        raise UnwritableError(type(release))
    arrays: dict[str, Any] = {"deleted": release.deleted}
    domains: dict[str, list[str]] = {}
    if release.table.pseudonym is not None:
        arrays["pseudonym"] = release.table.pseudonym
    for place, cells in enumerate(release.table.columns.values()):
        arrays[f"suppressed {place}"] = cells.suppressed
        if isinstance(cells, RangeCells):
            arrays |= {f"lower {place}": cells.lower, f"upper {place}": cells.upper}
        else:
            arrays |= {f"offsets {place}": cells.offsets, f"codes {place}": cells.codes}
            domains[str(place)] = list(cells.domain)
    texts: dict[str, list[str | None]] = {}
    for name, labels in release.labels.items():
        if isinstance(labels, MarkedNumbers):
            arrays |= {f"mark {name}": labels.mark, f"value {name}": labels.value}
        else:
            texts[name] = labels.to_list()
    plain = {
        "columns": list(release.table.columns),
        "domains": domains,
        "texts": texts,
        "marked": [name for name, labels in release.labels.items() if isinstance(labels, MarkedNumbers)],
        "labels": list(release.labels),
        "provenance": release.provenance.as_dict(),
        "detail": dict(release.detail),
    }
    return StoredStep(plain=_check_plain(plain), arrays=arrays)


def decode_release(step: StoredStep, schema: Schema) -> Release:
    """Return a kept release of data of this schema; whatever is wrong with it raises."""
    plain, arrays = step.plain, step.arrays
    columns: dict[str, Cells] = {}
    for place, name in enumerate(plain["columns"]):
        suppressed = arrays[f"suppressed {place}"]
        if f"lower {place}" in arrays:
            lower, upper = arrays[f"lower {place}"], arrays[f"upper {place}"]
            columns[name] = RangeCells(lower=lower, upper=upper, suppressed=suppressed)
        else:
            columns[name] = SetCells(
                offsets=arrays[f"offsets {place}"],
                codes=arrays[f"codes {place}"],
                suppressed=suppressed,
                domain=tuple(plain["domains"][str(place)]),
            )
    labels: dict[str, Labels] = {}
    for name in plain["labels"]:
        if name in plain["marked"]:
            labels[name] = MarkedNumbers(mark=arrays[f"mark {name}"], value=arrays[f"value {name}"])
        else:
            labels[name] = pl.Series(name, plain["texts"][name], dtype=pl.String)
    return Release(
        table=MaskedTable(schema=schema, columns=columns, pseudonym=arrays.get("pseudonym")),
        deleted=arrays["deleted"],
        provenance=Provenance(**plain["provenance"]),
        detail=plain["detail"],
        labels=labels,
    )


def encode_guess(guess: Guess) -> StoredStep:
    """Return a guess as it is kept.

    Raises:
        UnwritableError: it reports what JSON cannot hold.
    """
    plain = {"person": list(guess.person), "predicted": guess.predicted, "detail": dict(guess.detail)}
    return StoredStep(plain=_check_plain(plain), arrays={"published": guess.published, "chance": guess.chance})


def decode_guess(step: StoredStep) -> Guess:
    """Return a kept guess; whatever is wrong with it raises."""
    plain = step.plain
    return Guess(
        published=step.arrays["published"].astype(np.int64),
        person=tuple(plain["person"]),
        chance=step.arrays["chance"],
        predicted=plain["predicted"],
        detail=plain["detail"],
    )


def encode_scores(scores: Mapping[str, Score]) -> StoredStep:
    """Return scores by measure as they are kept.

    Raises:
        UnwritableError: one is no number, or has parts that JSON cannot hold.
    """
    plain = {
        name: {"value": score.value, "direction": score.direction.value, "detail": dict(score.detail)}
        for name, score in scores.items()
    }
    return StoredStep(plain=_check_plain(plain))


def decode_scores(step: StoredStep) -> dict[str, Score]:
    """Return kept scores; whatever is wrong with them raises."""
    return {
        name: Score(value=kept["value"], direction=Direction(kept["direction"]), detail=dict(kept["detail"]))
        for name, kept in step.plain.items()
    }


def _check_plain(plain: dict[str, Any]) -> dict[str, Any]:
    try:
        write_canonical(plain)
    except (TypeError, ValueError) as error:
        raise UnwritableError(str(error)) from error
    return plain


T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Makes steps, and keeps them if there is a store.

    Attributes:
        store: where they are kept; None keeps none.
    """

    store: StepStore | None = None
    _digests: dict[int, tuple[object, str]] = field(default_factory=dict[int, "tuple[object, str]"], repr=False)

    def make_release(
        self, method: object, data: Dataset, seed: Seed, make: Callable[[], Release], *, about: str = ""
    ) -> Release:
        """Return what a method makes of data.

        Args:
            method: with all its parameters.
            data: the original.
            seed: of the method's chance.
            make: makes it.
            about: what else it depends on.
        """

        def decode(step: StoredStep) -> Release:
            release = decode_release(step, data.schema)
            if len(release.deleted) != len(data):
                raise ParameterError(
                    "release", Said("have the original's {data} rows", data=len(data)), len(release.deleted)
                )
            return release

        told = ("release", method, seed.value, self.digest_dataset(data), about)
        return self.recall(told, make, lambda release: encode_release(release, data.schema), decode)

    def make_guess(
        self, adversary: Adversary, shown: MaskedTable, knowledge: Dataset, *, seed: Seed, about: tuple[str, ...]
    ) -> Guess:
        """Return whom an adversary names.

        Args:
            adversary: with all his parameters.
            shown: what is published.
            knowledge: what he knows.
            seed: of his chance.
            about: digests of what the two were made from, which are the same only if they are.
        """
        told = ("guess", adversary, seed.value, *about)
        return self.recall(told, lambda: adversary.guess(shown, knowledge, rng=seed.rng()), encode_guess, decode_guess)

    def measure_release(
        self,
        release: Release,
        data: Dataset,
        measure: Callable[[], Mapping[str, Score]],
        *,
        about: tuple[object, ...],
    ) -> Mapping[str, Score]:
        """Return what measures say of a release.

        Args:
            release: every cell and label of it counts, whoever made it.
            data: the original.
            measure: says it.
            about: the measures, with all their parameters.
        """
        told = ("scores", *about, self.digest_dataset(data), self.digest_release(release), release.labels)
        return self.recall(told, measure, encode_scores, decode_scores)

    def recall(
        self,
        told: Sequence[object],
        make: Callable[[], T],
        encode: Callable[[T], StoredStep],
        decode: Callable[[StoredStep], T],
    ) -> T:
        """Return a step: the kept one if it is whole, else a new one, which is kept.

        Args:
            told: all that it depends on, the program apart.
            make: makes it.
            encode: tells it as arrays and plain data; raises UnwritableError where that cannot be done.
            decode: the reverse; raises where anything is not as it should be.
        """
        store = self.store
        if store is None:
            return make()
        try:
            key = make_key(digest_program(), describe_content(tuple(told)))
        except UnwritableError:
            return make()
        kept = store.find(key)
        if kept is not None:
            try:
                return decode(kept)
            except (SekishoError, LookupError, TypeError, ValueError, AttributeError):
                store.drop(key, Said("it is not what it should be"))
        step = make()
        with suppress(UnwritableError):
            store.keep(key, encode(step))
        return step

    def digest_release(self, release: Release) -> str:
        """Return the digest of a release; nothing is computed where nothing is kept."""
        return "" if self.store is None else self._digest(release, lambda: digest_release(release))

    def digest_dataset(self, data: Dataset) -> str:
        """Return the digest of data; nothing is computed where nothing is kept."""
        return "" if self.store is None else self._digest(data, lambda: digest_dataset(data))

    def digest_table(self, table: Table) -> str:
        """Return the digest of a table; nothing is computed where nothing is kept."""
        return "" if self.store is None else self._digest(table, lambda: digest_table(table))

    def _digest(self, thing: object, compute: Callable[[], str]) -> str:
        held = self._digests.get(id(thing))
        if held is None or held[0] is not thing:
            held = self._digests[id(thing)] = (thing, compute())
        return held[1]

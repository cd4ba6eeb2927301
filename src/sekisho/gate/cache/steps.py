"""The expensive steps of a run: a release made, measured, a guess made, a pattern searched and proven.

Where a step is kept it is taken from there. Whatever says how safe a release is (hits, thresholds, classes, guarantees)
and the verdict are always computed anew, and the proof of a pattern is checked again; how useful it is may be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from sekisho.attack import Adversary
from sekisho.attack.guess import Guess
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.errors import ParameterError, SekishoError
from sekisho.gate.cache.content import (
    UnwritableError,
    describe_content,
    digest_dataset,
    digest_program,
    digest_release,
    digest_table,
)
from sekisho.gate.cache.encoding import (
    decode_guess,
    decode_release,
    decode_scores,
    encode_guess,
    encode_release,
    encode_scores,
)
from sekisho.gate.cache.store import StepStore, StoredStep, make_key
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said

if TYPE_CHECKING:  # people need no solver's matrices
    from sekisho.tables.model.table import Table

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

"""Records beside their register: how a release stands together with those that left before, and who is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.frame.release import Release
from sekisho.data.records.written_release import WrittenRelease
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree, write_tree
from sekisho.errors import InputError, ParameterError
from sekisho.gate.outcome import Attempt, Candidate
from sekisho.gate.output_files import TRUTH, OutputFiles
from sekisho.gate.recipes.register import RegisterRules
from sekisho.gate.records.keys_judge import KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.together.earlier_releases import read_earlier_release
from sekisho.gate.register.apart import Differences, take_release_apart
from sekisho.gate.register.book import Register, pack_people
from sekisho.gate.register.entries import Binding, ReleasedColumns, Together
from sekisho.gate.register.joined_records import JoinedRecords, JointFigures, PlacedPeople, read_earlier_records
from sekisho.gate.register.key import RegisterKey
from sekisho.gate.register.like_last import LIKE_LAST, repeat_classes
from sekisho.gate.register.likeness import (
    SpelledPeople,
    join_spellings,
    list_alike_populations,
    list_other_populations,
    list_unknown_records,
)
from sekisho.gate.register.session import JointStanding, list_population
from sekisho.protect import TakesTrees
from sekisho.safety.records.joint.known import ClassedRows
from sekisho.words import Said, join_words

AGAINST = "rule, one"
LEAST = 2
"""Where no k is asked for, nobody may stand alone."""
NOTHING_OUTSIDE = Said("nothing has left outside the register")


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredRecords:
    """Records, and what left of the same people before.

    Attributes:
        stage: the records of today.
        judge: theirs, by their keys.
        records: the same, ready to be counted together with what left.
        alike: what looks like people who left before though nothing matches.
    """

    stage: RecordsStage
    judge: KeysJudge
    records: JoinedRecords
    alike: tuple[Said, ...] = ()

    @classmethod
    def open(
        cls, stage: RecordsStage, judge: KeysJudge, register: Register, key: RegisterKey, rules: RegisterRules
    ) -> Self:
        """Return the records of a stage beside a register.

        Raises:
            SekishoError: an earlier release cannot be read.
        """
        question = judge.question
        entries = list_population(register, rules, stage.shape)
        earlier = read_earlier_records(register, stage.recipe.rules, stage.original, entries)
        people = _digest_people(stage, register, key, fold=rules.fold_case)
        alike = [*list_alike_populations(register, rules, stage.shape)]
        if people is not None:
            earlier = join_spellings(earlier, people) if rules.fold_case else earlier
            alike += list_unknown_records(earlier, stage.original, people, fold=rules.fold_case)
            alike += list_other_populations(register, rules, stage.shape, people)
        records = JoinedRecords(
            original=stage.original,
            digests=None if people is None else people.digests,
            keys=question.keys,
            sensitive=question.sensitive,
            stable=rules.stable,
            earlier=earlier,
        )
        return cls(stage=stage, judge=judge, records=records, alike=tuple(alike))

    @property
    def binding(self) -> Binding:
        """By digests where the schema says whose a record is."""
        return Binding.ASSUMED if self.records.digests is None else Binding.KEYED

    @property
    def columns(self) -> ReleasedColumns:
        """What the columns are."""
        question = self.judge.question
        return ReleasedColumns(
            keys=question.keys,
            stable=self.records.stable,
            sensitive=question.sensitive,
            household=self.records.original.schema.household,
        )

    def list_trees(self, label: str) -> dict[str, bytes]:
        """Return by column the tree in whose labels a candidate may be written, as its file has it."""
        return {name: write_tree(tree) for name, tree in self._find_trees(label).items()}

    def _find_trees(self, label: str) -> dict[str, Tree]:
        method = self.stage.recipe.methods.get(label)
        own = method.tree if isinstance(method, TakesTrees) else None
        read = {name: tree if isinstance(tree, Tree) else read_tree(tree) for name, tree in (own or {}).items()}
        return {**self.judge.question.trees, **read}

    def stand(self, release: Release) -> JointStanding:
        """Return how a candidate stands together with what left before.

        Raises:
            ParameterError: nobody says who is in a finished release.
        """
        self._require_people(release)
        if not self.records.earlier or bool(release.deleted.all()):
            rows, _ = self.records.place(release)
            least = int(np.bincount(rows.classes).min(initial=len(rows.classes))) if rows.size else 0
            return JointStanding(figures=Together(least_alone=least, least_joint=least, against=AGAINST))
        k = self.stage.recipe.guarantees.k
        wanted = k or LEAST
        figures = self.records.count(release, wanted=wanted)
        apart = take_release_apart(self.records, release, self.stage.recipe.rules, k=k)
        numbers = tuple(each.entry.number for each in self.records.earlier)
        return JointStanding(
            figures=Together(
                least_alone=figures.least_alone,
                least_joint=figures.least_joint,
                disclosed_alone=figures.disclosed_alone,
                disclosed_joint=figures.disclosed_joint,
                against=AGAINST,
                linked=numbers,
            ),
            unsafe=_tell_unsafe(figures, numbers, wanted, apart),
            doubts=_list_doubts(figures),
            pinned=tuple(apart.list_pinned()),
            differences=apart.to_list(),
            told=_tell_figures(figures, numbers),
            assumes=_tell_assumptions(self.records.keys, figures),
        )

    def _require_people(self, release: Release) -> None:
        for name, written in self.stage.written.items():
            if written.release is release and not written.ordered:
                rule = Said("say ordered = true or deleted beside a register: who is in them must be known")
                raise ParameterError("releases", rule, name)

    def list_people(self, best: Candidate[Attempt], files: OutputFiles) -> tuple[bytes, int]:
        """Return who is in the release, by the very file that leaves, and how many they are."""
        content = files.offered[files.release or ""]
        rows = self._read_published(content, files.release or "", self._find_trees(best.label))
        people = self.records.find_people(rows, _read_origin(files))
        return pack_people(people.as_frame()), len(people.fits)

    def prepare_stage(self, register: Register, rules: RegisterRules) -> RecordsStage:
        """Return the stage that tries the classes of the last release, too, and leaves out whom a release endangers.

        Args:
            register: in which the file of the last release lies.
            rules: which of the two are asked for.
        """
        k = self.stage.recipe.guarantees.k or LEAST
        most = int(Fraction(str(rules.leave_out)) * len(self.records.original))
        spare = partial(self.records.leave_out_endangered, k=k, most=most) if most else None
        stage = replace(self.stage, spare=spare)
        release = repeat_classes(self.records, register, k=k) if rules.like_last else None
        if release is None:
            return stage
        again = WrittenRelease(release=release if spare is None else spare(release), ordered=True, notices=())
        return replace(stage, written={**stage.written, LIKE_LAST: again})

    def list_known(self, content: bytes, name: str) -> tuple[bytes, int]:
        """Return who may be in a release that was made elsewhere from these records: whoever its cells admit."""
        records = self.records
        rows = self._read_published(content, name, self.judge.question.trees)
        fits = find_fitting_classes(rows, records.original, records.keys)
        if records.digests is None:
            return b"", len(fits)
        people = PlacedPeople(digests=records.digests, fits=fits, own=None)
        return pack_people(people.as_frame()), len(fits)

    def _read_published(self, content: bytes, name: str, trees: Mapping[str, Tree]) -> ClassedRows:
        """Return a release as everybody will read it from its file."""
        rules, records = self.stage.recipe.rules, self.records
        with TemporaryDirectory() as folder:
            place = Path(folder) / name
            place.write_bytes(content)
            return read_earlier_release(place, rules, records.original, trees, records.keys).rows


def _digest_people(stage: RecordsStage, register: Register, key: RegisterKey, *, fold: bool) -> SpelledPeople | None:
    identifier = stage.original.schema.identifier
    if identifier is None:
        return None
    people = SpelledPeople.of(key, register, stage.original.frame[identifier.name].to_list(), fold=fold)
    if doubled := len(people.digests) - len(np.unique(people.digests)):
        several = Said("names {rows:,} more rows than people: a register needs one row a person", rows=doubled)
        raise InputError(identifier.name, several)
    return people


def _read_origin(files: OutputFiles) -> NDArray[np.intp]:
    """Return of each published row the record of the original."""
    return np.array(files.confidential[TRUTH].split(), dtype=np.intp)


def _tell_unsafe(figures: JointFigures, numbers: tuple[int, ...], wanted: int, apart: Differences) -> str:
    """Return why a release is unsafe together with earlier ones; nothing if it is not."""
    releases = ", ".join(map(str, numbers))
    parts: list[str] = [*apart.list_unsafe()]
    if figures.below:
        parts.append(
            Said(
                "{below:,} {below:person has|people have} fewer than {wanted} "
                "{wanted:candidate|candidates} once release {releases} is read beside it, the least "
                "{least}",
                below=figures.below,
                wanted=wanted,
                releases=releases,
                least=figures.least_joint,
            )
        )
    if figures.disclosed_anew:
        parts.append(
            Said(
                "the sensitive value of {people:,} {people:person|people} is settled only together with "
                "release {releases}",
                people=figures.disclosed_anew,
                releases=releases,
            )
        )
    if not parts:
        return ""
    first = Said("safe alone, unsafe together") if figures.least_alone >= wanted else Said("unsafe together")
    return Said("{verdict}: {parts}", verdict=first, parts=join_words(parts, "; "))


def _list_doubts(figures: JointFigures) -> tuple[Said, ...]:
    if not figures.broken:
        return ()
    doubt = Said(
        "{people:,} {people:person has|people have} no candidate: a cell does not admit the truth, or a "
        "column named as lasting changed",
        people=figures.broken,
    )
    return (doubt,)


def _tell_figures(figures: JointFigures, numbers: tuple[int, ...]) -> Said:
    return Said(
        "{people:,} {people:person is|people are} in it and in release {releases}; the least number of "
        "candidates is {alone} alone and {joint} together, linked by {columns}",
        people=figures.people,
        releases=", ".join(map(str, numbers)),
        alone=figures.least_alone,
        joint=figures.least_joint,
        columns=", ".join(figures.linked_by) or Said("the keys alone"),
    )


def _tell_assumptions(keys: tuple[str, ...], figures: JointFigures) -> str:
    known = Said(
        "the adversary knows {keys} of the person he looks for and nothing of others",
        keys=", ".join(keys),
    )
    parts = [known, NOTHING_OUTSIDE]
    if figures.changed:
        parts.append(Said("{columns} change and link nothing", columns=", ".join(figures.changed)))
    return join_words(parts, "; ")

"""A release beside those that left before: attacked together before it leaves.

Earlier releases are read as everybody reads them; what the people's keys are, the original says. Nobody says who was in
an earlier release, so whomever a row of it fits is taken to be in it: that is assumed, and said. A register of releases
says it instead (:func:`sekisho.safety.records.joint.known.bind_people`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.attack import Adversary
from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.attack.records.composition import (
    Composition,
    EarlierReleases,
    attack_composition,
    summarise,
)
from sekisho.data.files.layout import HasLayout
from sekisho.data.files.schema_files.columns import find_columns
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, SyntheticRelease
from sekisho.data.records.files import lay_out_rows
from sekisho.data.records.written_release import describe_release, read_written_table
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Certainty, Reason, Statement
from sekisho.gate.output_files import RELEASE
from sekisho.gate.policy import make_reason
from sekisho.gate.records.candidate import leave_out_hidden
from sekisho.gate.records.together.release_files import CELL
from sekisho.gate.statement_words import EARLIER, tell_knowledge
from sekisho.safety.records.joint.candidates import JointReleases
from sekisho.safety.records.joint.differences import USUAL_ROWS, ReleaseDifference
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses, KnownPeople
from sekisho.safety.records.joint.taken_apart import PublishedTexts, take_apart
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said

SET = r"^\{.*;.*\}$"
"""How a set is written."""
THIS = Said("this release")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierQuestion:
    """How releases of one's own are read together.

    Attributes:
        rules: how files are written.
        original: the records of the release that is to leave.
        keys: what may be known of a person.
        sensitive: the columns whose values are counted.
        trees: of columns whose cells are labels.
        k: the candidates wanted for everybody where an adversary says none.
    """

    rules: RecordTerms
    original: Dataset
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    trees: Mapping[str, Tree]
    k: int

    def attack(self, release: Release, adversaries: Mapping[str, Adversary]) -> dict[str, Composition]:
        """Return by label what everyone who reads earlier releases is told, for each sensitive column."""
        answers: dict[str, Composition] = {}
        for label, adversary in adversaries.items():
            if isinstance(adversary, EarlierReleases) and adversary.published:
                for sensitive in self.sensitive or ("",):
                    answers[f"{label} {sensitive}".strip()] = self._compose(release, adversary, sensitive)
        return answers

    def _compose(self, release: Release, adversary: EarlierReleases, sensitive: str) -> Composition:
        if isinstance(release, SyntheticRelease):
            rule = Said("not stand beside a synthetic file: no row of it is anybody's")
            raise ParameterError("adversaries", rule, "composition")
        people = Dataset(self.original.frame.filter(pl.Series(~release.deleted)), self.original.schema)
        keys = adversary.keys or self.keys
        names = [column.name for column in self.original.schema.attributes if column.name not in keys]
        stable = tuple(name for name in names if adversary.stable is None or name in adversary.stable)
        earlier = [
            read_earlier_release(path, self.rules, self.original, self.trees, keys) for path in adversary.published
        ]
        rows = ClassedRows.of(release.table.take(~release.deleted), keys)
        releases = (*(file.rows for file in earlier), rows)
        fits = [assume_presence(file.rows, people, keys) for file in earlier]
        fits.append(find_fitting_classes(releases[-1], people, keys))
        return attack_composition(
            JointReleases(releases=releases, stable=stable, sensitive=sensitive),
            KnownPeople(fits=tuple(fits)),
            presence=adversary.present,
            k=adversary.k or self.k,
            assumed=adversary.stable is None,
            differences=self._take_apart(release, rows, earlier, adversary),
        )

    def _take_apart(
        self, release: Release, rows: ClassedRows, earlier: Sequence[EarlierFile], adversary: EarlierReleases
    ) -> dict[str, ReleaseDifference]:
        """Return by the name of an earlier file what its rows and those of a release tell that they do not share."""
        keys = adversary.keys or self.keys
        kept = leave_out_hidden(release.take(np.flatnonzero(~release.deleted)))
        texts = lay_out_rows(kept, self.rules, Path(RELEASE)).frame
        written = PublishedTexts(texts=texts, keys=keys, classes=rows.classes)
        return {
            path.name: take_apart(
                PublishedTexts(texts=file.texts, keys=keys, classes=file.rows.classes),
                written,
                sensitive=self.sensitive,
                wanted=adversary.k or self.k or USUAL_ROWS,
            )
            for path, file in zip(adversary.published, earlier, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierFile:
    """A release that left before, as its file was read.

    Attributes:
        rows: what its cells admit, and the class of each row.
        texts: the cells as they are written.
        notices: what had to be assumed of them.
    """

    rows: ClassedRows
    texts: pl.DataFrame
    notices: tuple[str, ...]


def read_earlier_release(
    path: Path, rules: HasLayout, original: Dataset, trees: Mapping[str, Tree], keys: Sequence[str]
) -> EarlierFile:
    """Return a release that left before, beside the records of today.

    Values that today's records lack are values too: a text is never taken for another one because nobody has it any
    more. Classes are rows whose keys are written alike, numbered in the order in which they first appear, whatever
    today's records are.

    Raises:
        FaultsError: cells mean nothing; all at once.
    """
    file = find_columns(path, describe_release(rules.layout))
    known = _add_values(original, file.texts, trees)
    table, notices = read_written_table(path, rules, known, trees)
    written = pl.DataFrame({name: file.texts[name].fill_null("") for name in keys if name in file.texts})
    classes = written.select(pl.struct(pl.all()).rank("dense") if written.width else pl.lit(1)).to_series().to_numpy()
    _, first, place = np.unique(classes, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    rows = ClassedRows(table=table, classes=number[place.reshape(-1)])
    return EarlierFile(rows=rows, texts=pl.DataFrame(dict(file.texts)), notices=notices)


def assume_presence(release: ClassedRows, people: Dataset, keys: Sequence[str]) -> FittingClasses:
    """Return the classes that fit people of whom nobody says whether they were in a release: whoever fits was."""
    fits = find_fitting_classes(release, people, keys)
    return replace(fits, present=np.diff(fits.first) > 0)


def _add_values(original: Dataset, texts: Mapping[str, pl.Series], trees: Mapping[str, Tree]) -> Dataset:
    """Return records with a row more for each value of a category that only an earlier release has."""
    more = {
        column.name: _list_strange_values(texts[column.name], original.domain(column.name), trees.get(column.name))
        for column in original.schema.attributes
        if not column.kind.numeric and column.name in texts
    }
    rows = max(map(len, more.values()), default=0)
    if not rows or not original.frame.height:
        return original
    head = pl.concat([original.frame.head(1)] * rows)
    fresh = [
        pl.Series(name, [*values, *head[name].to_list()[len(values) :]], dtype=head[name].dtype)
        for name, values in more.items()
    ]
    return Dataset(pl.concat([original.frame, head.with_columns(fresh)]), original.schema)


def _list_strange_values(text: pl.Series, domain: Sequence[str], tree: Tree | None) -> list[str]:
    """Return the values that a column of a release has and the records do not: plain ones, of sets, under labels."""
    written = text.drop_nulls().unique(maintain_order=True)
    sets = written.filter(written.str.contains(SET)).str.slice(1).str.head(-1).str.split(";").explode()
    plain = written.filter(~written.str.contains(CELL)).to_list()
    labels = set() if tree is None else set(tree.children)
    leaves = [] if tree is None else [code for code in tree.codes if code not in labels]
    known = {*domain, *labels, "", "NA"}
    values = (*plain, *sets.drop_nulls().to_list(), *leaves)
    return list(dict.fromkeys(value for value in values if value not in known))


def list_joint_reasons(answers: Mapping[str, Composition]) -> Iterator[Reason]:
    """Give why a release may not leave after those that left before."""
    differences = {name: one for answer in answers.values() for name, one in answer.differences.items()}
    for name, difference in differences.items():
        if (unsafe := difference.tell_unsafe(name, THIS)) is not None:
            yield make_reason("unsafe together", Said("unsafe together: {parts}", parts=unsafe))
        elif (pinned := difference.tell_pinned(name, THIS)) is not None:
            yield make_reason("left or came", pinned)
    for answer in answers.values():
        if not answer.joint_candidates_suffice:
            figures = summarise(answer.joint)
            words = Said("safe alone, unsafe together") if answer.safe_alone else Said("unsafe together")
            yield make_reason(
                "unsafe together",
                Said(
                    "{words}: with {earlier} earlier {earlier:release|releases} least candidates "
                    "{least}, {alone:,} {alone:person|people} alone, values newly known of {anew:,}",
                    words=words,
                    earlier=answer.joint.rows.shape[1] - 1,
                    least="-" if figures["least_candidates"] is None else figures["least_candidates"],
                    alone=figures["alone"],
                    anew=int(answer.joint.disclosed_anew.sum()),
                ),
            )


def state_joint(answers: Mapping[str, Composition], keys: tuple[str, ...]) -> Iterator[Statement]:
    """Give what is said of a release together with those that left before: the worst of it."""
    for answer in sorted(answers.values(), key=lambda each: each.safe_together)[:1]:
        figures = summarise(answer.joint)
        yield Statement(
            standing=Certainty.NOT_REFUTED if answer.safe_together else Certainty.REFUTED,
            subject=EARLIER,
            detail=Said(
                "together with {earlier} earlier {earlier:release|releases}, whoever fits a row being "
                "taken to be in it: least candidates {least}, values known of {disclosed:,} "
                "{disclosed:person|people}; linked by {names}",
                earlier=answer.joint.rows.shape[1] - 1,
                least="-" if figures["least_candidates"] is None else figures["least_candidates"],
                disclosed=figures["disclosed"],
                names=", ".join(answer.joint.linked_by) or "-",
            ),
            assumes=tell_knowledge(keys),
            figures=dict(answer.to_dict()),
        )

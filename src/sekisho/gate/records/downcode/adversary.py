"""Downcoding as an adversary of recipes: who works values out of hidden and generalised cells.

What a release was made by, the gate knows of its own methods; of a finished release the recipe says it. Three words are
kept apart: possible (cells, narrowed, known: counted), chance (of the best guess, over uniform originals, against that
by the rule alone), found (how many known cells are right, with interval).

The share that is held against what is allowed is that of the cells of one key that are known, of the key where it is
largest. It counts in full where nothing true was ruled out, or where no original is needed for that; else by the lower
end of the interval of what was right, and not at all where nobody knows what is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

from sekisho.attack.records.downcode.answer import Downcoded, Knows, Roster
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.gate.names import name_label
from sekisho.gate.records.counted_attempt import CountedAttempt
from sekisho.gate.records.downcode import Downcoder
from sekisho.gate.records.downcode.downcoding import DowncodeQuestion, Recoder, SeenRelease, downcode
from sekisho.gate.statement_words import HIDDEN_CELLS
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Matching, Suppress
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said, quote_words

NAME = "downcode"
KNOWS: Mapping[Knows, Said] = {
    Knows.RULE: Said("knows its rule"),
    Knows.LEAST: Said("knows its rule and that no single step could be taken back"),
    Knows.TIE: Said("knows the whole program"),
}
PEOPLE: Mapping[Roster, Said] = {
    Roster.ONE: Said("nobody else"),
    Roster.ALL: Said("everybody's keys"),
    Roster.OTHERS: Said("every record but one"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DowncodeAdversary:
    """Works out what the hidden and generalised cells of a release still can be.

    Attributes:
        method: that made the release; of one that is made here, its own.
        keys: of the method; its own if none.
        k: of the method; its own if None.
        knows: what he knows of the method.
        people: what he knows of people.
        matching: of a finished release by suppress, what a suppressed cell matches.
        tree: what the labels of a key mean; as the method or the recipe says if none.
        suppress: of a finished release by lattice, the largest share left out.
        measure: likewise, what was minimised.
        sensitive: likewise beside l, the sensitive column.
        l: likewise, the least distinct sensitive values of a class.

    Source: Cohen, USENIX Security 2022; Wong, Fu, Wang, Pei, VLDB 2007.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    method: Recoder | None = None
    keys: tuple[str, ...] = ()
    k: int | None = None
    knows: Knows = Knows.LEAST
    people: Roster = Roster.ONE
    matching: Matching = Matching.ANY
    tree: Mapping[str, Path | Tree] = field(default_factory=dict[str, Path | Tree])
    suppress: Fraction = Fraction(0)
    measure: LatticeMeasure = LatticeMeasure.NCP
    sensitive: str = ""
    l: float | None = None

    def pose(
        self, method: Method | None, *, keys: tuple[str, ...], trees: Mapping[str, Tree]
    ) -> DowncodeQuestion | None:
        """Return what he asks of a release; None where he has nothing to ask of what its method made.

        Args:
            method: that made it here; None for a finished release, of which he says himself what made it.
            keys: of the recipe, where neither he nor the method names any.
            trees: of the recipe, likewise.
        """
        question = self._ask_finished(keys) if method is None else _ask_method(method, keys)
        if question is None or (self.method is not None and question.method is not self.method):
            return None
        named = self.keys or question.keys
        labels = self.tree or question.tree or {name: tree for name, tree in trees.items() if name in named}
        k = question.k if self.k is None else self.k
        return replace(question, knows=self.knows, roster=self.people, keys=named, k=k, tree=labels)

    def _ask_finished(self, keys: tuple[str, ...]) -> DowncodeQuestion | None:
        if self.method is None or self.k is None:
            return None
        return DowncodeQuestion(
            method=self.method,
            keys=self.keys or keys,
            k=self.k,
            matching=self.matching,
            suppress=self.suppress,
            measure=self.measure,
            sensitive=self.sensitive,
            distinct=self.l,
        )


def _ask_method(method: Method, keys: tuple[str, ...]) -> DowncodeQuestion | None:
    """Return how a method of ours is asked; None where its cells hide nothing, or a guard drew what he would reckon."""
    if isinstance(method, Suppress):
        matching = method.matching
        return DowncodeQuestion(method=Recoder.SUPPRESS, keys=method.keys or keys, k=method.k, matching=matching)
    if isinstance(method, Partition) and method.guard is None:
        tree = method.tree or {}
        return DowncodeQuestion(method=Recoder.PARTITION, keys=method.keys or keys, k=method.k, tree=tree)
    counted = isinstance(method, Lattice) and method.t is None and method.diversity is Diversity.DISTINCT
    if isinstance(method, Lattice) and counted and method.guard is None:
        return DowncodeQuestion(
            method=Recoder.LATTICE,
            keys=method.keys or keys,
            k=method.k,
            tree=method.tree or {},
            suppress=method.suppress,
            measure=method.measure,
            sensitive=method.sensitive,
            distinct=method.l,
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DowncodeScene:
    """What is asked of the cells of every release of a recipe.

    Attributes:
        original: what releases are made from.
        adversaries: by label.
        methods: by label of a release the method that makes it; a finished one has none.
        keys: of the recipe.
        trees: of the recipe.
        allowed: the largest share of the cells of a key that may be known.
    """

    original: Dataset
    adversaries: Mapping[str, Downcoder]
    methods: Mapping[str, Method]
    keys: tuple[str, ...]
    trees: Mapping[str, Tree]
    allowed: float

    def require_suited(self, labels: Sequence[str]) -> None:
        """Refuse an adversary who has nothing to ask of any release.

        Raises:
            ParameterError: no release suits him.
        """
        for name, adversary in self.adversaries.items():
            if labels and not any(self._pose(adversary, label) for label in labels):
                rule = Said("stand beside suppress, lattice or partition without drawn classes, or say method and k")
                raise ParameterError("adversaries", rule, name)

    def attack(self, label: str, release: Release, *, ordered: bool) -> tuple[CountedAttempt, ...]:
        """Let everybody read the cells of a release; of local suppression somebody always does."""
        asked = {name: self._pose(each, label) for name, each in self.adversaries.items()}
        by_itself = _pose_usual(self.methods.get(label), self.keys)
        seen = SeenRelease.of_release(release, self.original)
        seen = seen if ordered else replace(seen, rows=None)
        attempts = [
            describe_downcoded(name, _downcode(question, seen, release), self.allowed)
            for name, question in asked.items()
            if question is not None
        ]
        if by_itself is not None and not attempts:
            attempts.append(describe_downcoded(NAME, _downcode(by_itself, seen, release), None))
        return tuple(attempts)

    def _pose(self, adversary: Downcoder, label: str) -> DowncodeQuestion | None:
        return adversary.pose(self.methods.get(label), keys=self.keys, trees=self.trees)


def _pose_usual(method: Method | None, keys: tuple[str, ...]) -> DowncodeQuestion | None:
    return _ask_method(method, keys) if isinstance(method, Suppress) else None


def _downcode(question: DowncodeQuestion, seen: SeenRelease, release: Release) -> Downcoded:
    found = downcode(question, seen)
    # coins may have withheld any cell: what he rules out is only unlikely
    return replace(found, certain=False) if "guard" in release.detail else found


def describe_downcoded(label: str, answer: Downcoded, allowed: float | None) -> CountedAttempt:
    """Return what reading cells came to, in the words of attempts."""
    figures, rate = answer.to_dict(), answer.find_rate()
    right = Said("nobody knows how many are right")
    if rate is not None:
        right = Said(
            "{hits:,} of {claimed:,} known {claimed:cell|cells} {hits:is|are} right",
            hits=rate.hits,
            claimed=rate.trials,
        )
    certain = Said(
        "{narrowed:,} of {cells:,} narrowed, {known:,} known",
        narrowed=answer.narrowed,
        cells=answer.cells,
        known=answer.known,
    )
    summary = right
    if answer.guess is not None:
        summary = Said("{right}; best guess {guess:.3f}", right=right, guess=answer.guess)
    detail = Said(
        "{adversary}, who of the method {knows} and of people {people}: of hidden or generalised cells "
        "{possible}; {touched:,} {touched:person has|people have} such cells, {concerned:,} are "
        "concerned; {found}",
        adversary=name_label(label),
        knows=KNOWS[answer.knows],
        people=PEOPLE[answer.roster],
        possible=certain,
        touched=answer.touched,
        concerned=answer.people,
        found=summary,
    )
    share = measure_known_share(answer)
    if allowed is not None:
        detail = Said(
            "{told}; of one key's cells surely {share:.1%} are known, {allowed:.1%} is allowed",
            told=detail,
            share=share,
            allowed=allowed,
        )
    counts = ("cells", "narrowed", "known", "people", "people_touched", "people_known")
    found = ("claimed", "hits", "interval", "chance", "guess", "excluded_truths", "by_key", "certain", "margin")
    return CountedAttempt(
        adversary=label,
        subject=HIDDEN_CELLS,
        possible={name: value for name in counts if isinstance(value := figures[name], int) or value is None},
        chance=answer.guess_rule,
        found={"against": figures["against"], **{name: figures[name] for name in found}},
        surely=share,
        allowed=allowed,
        detail=detail,
        certain=certain,
        summary=summary,
        warnings=_list_warnings(answer),
        disproved=bool(answer.hits) or (answer.certain and answer.known > 0),
    )


def measure_known_share(answer: Downcoded) -> float:
    """Return the share of the cells of one key that are surely known, of the key where it is largest."""
    largest = max((each.known / each.cells for each in answer.keys.values() if each.cells), default=0.0)
    if answer.certain:
        return largest
    rate = answer.find_rate()
    return largest * rate.low if rate is not None and rate.trials else 0.0


def _list_warnings(answer: Downcoded) -> tuple[Said, ...]:
    unsure = Said("what is ruled out is only to be expected: the method does not promise it")
    wrong = Said(
        "{excluded:,} {excluded:cell holds|cells hold} a value that was ruled out", excluded=answer.excluded or 0
    )
    told = ((not answer.certain, unsure), (bool(answer.excluded), wrong))
    return (
        *(words for speaks, words in told if speaks),
        *map(quote_words, filter(None, [answer.proven, *answer.notes])),
    )

"""Do the pseudonyms tell the names? What a release's claim to be safe assumes, looked at as far as it can be seen.

The proof of the claim H0 assumes that the published labels were dealt to the people at random. Whether they were cannot
be seen, but whether they plainly were not can: each sign below has a small chance where any set of labels whatever is
dealt at random to n people, every dealing equally likely. All chances are exact first moments, by Markov's inequality:

- **equal**: x people whose label is their own name, as text or number, or written backwards. If the labels hold c of
  the names, ``P(x or more) <= C(c, x) (n - x)! / n!``. Up to 7 people no chance is small; there it counts if all
  agree, or, as text, if all whose names are among the labels bear them and are more than half: such labels are names,
  whoever dealt them.
- **shifted**: x people with the same difference (or the same exclusive or) between label and number: ``n / x!``. For
  one difference d with c_d pairs of name and label it is at most ``C(c_d, x) (n - x)! / n!``; ``C(c, x) <= c/n C(n,
  x)``, and the c_d sum to n².
- **rising**, **falling**: x people in whose order, by name as text, as number, or by first row, the labels rise or
  fall: ``C(n, x) / x!``, the mean number of such sequences. All 8 of 8 people stand so with 1/8!.
- **hashed**: of up to 16 people x whose label is a plain digest of the name, or differs from it by one number.

A sign is raised where its chance is at most 1/8!, that of all hashes together. So labels of 8 or more people that were
dealt at random are suspected wrongly with a chance of at most 19/8!, about 1 in 2,100 (:data:`LEVEL`,
:data:`SIGNS`). No sign is no proof: a key that somebody keeps cannot be seen.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb, factorial, perm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.safety.plain_digests import KINDS, READINGS, SPELLINGS, hash_names, read_numbers, read_texts
from sekisho.words import Said

FEWEST = 8
"""Below so many people only equality counts."""
LEVEL = Fraction(1, factorial(FEWEST))
"""A sign is raised where chance gives it so seldom."""
SIGNS = 19
"""So many signs are looked for: 4 of equal names, 2 of shifts, 12 of orders, all hashes as one."""
PROBED = 16
"""So many people are asked whether their labels are digests of their names."""
HASHES = SPELLINGS * KINDS * READINGS
LEAST_DIGITS = 9
"""Of fewer people than can be told from chance, so many digits beyond the first must agree with digests."""
AS_TEXT = Said("as text")
MOST_DIGITS = 40
"""A name of more digits is no number."""
DIGITS = re.compile(r"[0-9]+")


class PseudonymSign(StrEnum):
    """How pseudonyms tell names, the plainest first."""

    EQUAL = "equal"
    HASHED = "hashed"
    SHIFTED = "shifted"
    RISING = "rising"
    FALLING = "falling"


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudonymPattern:
    """What shows that pseudonyms were not dealt at random.

    Attributes:
        sign: which sign.
        how: of what: the name as text or number, backwards, the first rows, a digest's algorithm.
        people: how many pseudonyms show it.
        among: how many were looked at.
        chance: of so many or more, where labels are dealt at random, at most; 1 where there are too few to tell.
    """

    sign: PseudonymSign
    how: str
    people: int
    among: int
    chance: Fraction

    @property
    def in_order(self) -> bool:
        """Whether the pseudonyms stand in the people's own order."""
        return self.sign in (PseudonymSign.RISING, PseudonymSign.FALLING)

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> Said:
        """Return it in words."""
        people, among, how = self.people, self.among, self.how
        sentences = {
            PseudonymSign.EQUAL: Said(
                "{people:,} of {among:,} pseudonyms are the people's own names ({how})",
                people=people,
                among=among,
                how=how,
            ),
            PseudonymSign.HASHED: Said(
                "{people:,} of {among:,} pseudonyms are plain digests of the people's names ({how})",
                people=people,
                among=among,
                how=how,
            ),
            PseudonymSign.SHIFTED: Said(
                "{people:,} of {among:,} pseudonyms are the people's own numbers, shifted ({how})",
                people=people,
                among=among,
                how=how,
            ),
            PseudonymSign.RISING: Said(
                "{people:,} of {among:,} pseudonyms rise in the people's own order ({how})",
                people=people,
                among=among,
                how=how,
            ),
            PseudonymSign.FALLING: Said(
                "{people:,} of {among:,} pseudonyms fall in the people's own order ({how})",
                people=people,
                among=among,
                how=how,
            ),
        }
        return sentences[self.sign]

    def as_dict(self) -> dict[str, object]:
        """Return the pattern as plain data for JSON."""
        return {
            "sign": str(self.sign),
            "how": self.how,
            "people": self.people,
            "among": self.among,
            "chance": float(self.chance),
        }


def find_release_pattern(original: Dataset, release: Release) -> PseudonymPattern | None:
    """Return how the pseudonyms of a release of a history tell its people's names; None where no sign is seen."""
    identifier, pseudonym = original.schema.identifier, release.table.pseudonym
    if identifier is None or pseudonym is None:
        return None
    rows = np.flatnonzero(~release.deleted)
    labels, first = np.unique(pseudonym[rows], return_index=True)
    people = original.text(identifier.name).gather(rows[first]).to_list()
    return find_pattern(people, list(map(str, labels.tolist())), first_rows=first.tolist())


def find_pattern(
    names: Sequence[str], labels: Sequence[str], *, first_rows: Sequence[int] = ()
) -> PseudonymPattern | None:
    """Return how labels tell the names of the people who bear them; None where no sign is seen.

    Args:
        names: of the people, each once.
        labels: of the same people, each once.
        first_rows: where each person's first row stands; empty where the data have no telling order.

    Raises:
        ParameterError: there are not as many labels as names.
    """
    if len(names) != len(labels) or (first_rows and len(first_rows) != len(names)):
        raise ParameterError("labels", Said("be as many as the {names} names", names=len(names)), len(labels))
    if not names:
        return None
    patterns = (
        *_find_equal(names, labels),
        *_find_hashed(names, labels),
        *_find_shifted(names, labels),
        *_find_orders(names, labels, first_rows),
    )
    return min(patterns, key=lambda each: list(PseudonymSign).index(each.sign), default=None)


def _spell(text: str) -> str:
    """Return a name in one spelling: of one case and width, without blanks and padding noughts."""
    plain = _narrow(text).casefold().strip()
    return plain.lstrip("0") or "0" if plain else ""


def _narrow(text: str) -> str:
    """Return a text in the width of ASCII where it has one."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _number(text: str) -> int | None:
    """Return the number that the digits of a name make; None where it has none, or too many to be one."""
    digits = "".join(DIGITS.findall(_narrow(text)))
    return int(digits) if 0 < len(digits) <= MOST_DIGITS else None


def _reverse(text: str) -> str:
    return _spell(_spell(text)[::-1])


def _reverse_number(text: str) -> int | None:
    number = _number(text)
    return None if number is None else int(str(number)[::-1])


EQUALITIES: Mapping[str, tuple[Callable[[str], object], Callable[[str], object]]] = {
    AS_TEXT: (_spell, _spell),
    Said("as numbers"): (_number, _number),
    Said("as text, backwards"): (_reverse, _spell),
    Said("as numbers, backwards"): (_reverse_number, _number),
}
"""As what a name may be a label: how the name is read, and how the label is."""


def _find_equal(names: Sequence[str], labels: Sequence[str]) -> Iterator[PseudonymPattern]:
    for how, (read_name, read_label) in EQUALITIES.items():
        wanted, borne = list(map(read_name, names)), list(map(read_label, labels))
        there = set(borne) - {None}
        able = sum(name in there for name in wanted)
        agreeing = sum(name == label and name is not None for name, label in zip(wanted, borne, strict=True))
        chance = _bound_agreement(agreeing, able, len(names))
        most = agreeing == len(names) or (how == AS_TEXT and agreeing == able and 2 * agreeing > len(names))
        by_eye = len(names) < FEWEST and most
        if by_eye or chance <= LEVEL:
            yield PseudonymPattern(sign=PseudonymSign.EQUAL, how=how, people=agreeing, among=len(names), chance=chance)


def _bound_agreement(agreeing: int, able: int, people: int) -> Fraction:
    """Return what the chance of so many agreeing people is at most, if so many can agree at all."""
    if agreeing > able:  # several names that are read alike: then nothing is bounded
        return Fraction(1)
    return Fraction(comb(able, agreeing), perm(people, agreeing))


def _find_shifted(names: Sequence[str], labels: Sequence[str]) -> Iterator[PseudonymPattern]:
    pairs = _pair_numbers(names, labels)
    for how, differences in (
        (Said("as numbers"), [label - name for name, label in pairs]),
        (Said("by exclusive or"), [label ^ name for name, label in pairs]),
    ):
        agreeing = _count_commonest(differences)
        chance = min(Fraction(1), Fraction(len(names), factorial(agreeing)))
        if chance <= LEVEL:
            yield PseudonymPattern(
                sign=PseudonymSign.SHIFTED, how=how, people=agreeing, among=len(names), chance=chance
            )


def _pair_numbers(names: Sequence[str], labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return name and label as numbers of those who have both; of names that are the same number only the first."""
    pairs: dict[int, int] = {}
    for name, label in zip(map(_number, names), map(_number, labels), strict=True):
        if name is not None and label is not None:
            pairs.setdefault(name, label)
    return list(pairs.items())


def _count_commonest(values: Sequence[int]) -> int:
    return Counter(values).most_common(1)[0][1] if values else 0


def _find_orders(names: Sequence[str], labels: Sequence[str], first_rows: Sequence[int]) -> Iterator[PseudonymPattern]:
    by_person = {AS_TEXT: _rank_texts(names)} | _rank_numbers(names)
    if first_rows:
        by_person[Said("by first rows")] = _rank(np.array(first_rows).argsort())
    by_label = {AS_TEXT: _rank_texts(labels)} | _rank_numbers(labels)
    for how, people in by_person.items():
        for borne in by_label.values():
            yield from _find_order(how, people, borne)


def _rank(order: NDArray[np.integer]) -> NDArray[np.int64]:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _rank_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    return _rank(pl.Series(texts, dtype=pl.String).arg_sort().to_numpy())


def _rank_numbers(texts: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return where each text stands by its number, texts of the same number by themselves; nothing if one has none."""
    numbers = list(map(_number, texts))
    keys = [f"{number:0{MOST_DIGITS}}{text}" for number, text in zip(numbers, texts, strict=True) if number is not None]
    return {Said("as numbers"): _rank_texts(keys)} if len(keys) == len(texts) else {}


def _find_order(how: str, people: NDArray[np.int64], labels: NDArray[np.int64]) -> Iterator[PseudonymPattern]:
    order = labels[np.argsort(people)]
    for sign, ranks in ((PseudonymSign.RISING, order.tolist()), (PseudonymSign.FALLING, order[::-1].tolist())):
        longest = _measure_rise(ranks)
        ways, arrangements = comb(len(people), longest), factorial(longest)
        if ways * LEVEL.denominator <= arrangements:  # large numbers: reduced to a fraction only where it is told
            chance = Fraction(ways, arrangements)
            yield PseudonymPattern(sign=sign, how=how, people=longest, among=len(people), chance=chance)


def _measure_rise(values: Sequence[int]) -> int:
    """Return how long the longest rising sequence among values is, those between left out (patience sorting)."""
    ends: list[int] = []
    for value in values:
        place = bisect_left(ends, value)
        ends[place : place + 1] = [value]
    return len(ends)


def _find_hashed(names: Sequence[str], labels: Sequence[str]) -> Iterator[PseudonymPattern]:
    """Look at those with the lowest labels: given who they are, theirs were dealt at random where all were.

    Labels that are the numbers 1 to n are no digests: two of them would have met.
    """
    chosen = sorted(range(len(labels)), key=lambda place: (len(labels[place]), labels[place]))[:PROBED]
    probed, borne = [names[place] for place in chosen], [labels[place] for place in chosen]
    numeric = all(label.isdecimal() and label.isascii() for label in borne)
    if numeric and max(int(label) for label in labels if label.isdecimal()) <= len(labels):
        return
    digits = sum(len(label) - 1 for label in sorted(borne, key=len)[1:])
    best, how = 0, ""
    for kind, digests in hash_names(probed):
        agreeing = _count_number_digests(digests, borne) if numeric else _count_text_digests(digests, borne)
        if agreeing > best:
            best, how = agreeing, kind
    chance = min(Fraction(1), Fraction(HASHES * len(probed), factorial(best)))
    if chance <= LEVEL or (best == len(names) and digits >= LEAST_DIGITS):
        yield PseudonymPattern(sign=PseudonymSign.HASHED, how=how, people=best, among=len(probed), chance=chance)


def _count_number_digests(digests: Sequence[bytes], labels: Sequence[str]) -> int:
    """Return of how many labels the difference from the digest is the same, in the reading in which it is so most."""
    borne = np.array([int(label) % 2**64 for label in labels], dtype=np.uint64)
    differences = np.sort(borne[:, None] - read_numbers(digests), axis=0)
    count = 1
    while count < len(labels) and bool((differences[count:] == differences[:-count]).any()):
        count += 1
    return count


def _count_text_digests(digests: Sequence[bytes], labels: Sequence[str]) -> int:
    """Return of how many labels the digest's text begins with the label."""
    agreeing = [
        [text.startswith(label) or text.casefold().startswith(label.casefold()) for text in read_texts(digest)]
        for digest, label in zip(digests, labels, strict=True)
    ]
    return int(np.array(agreeing).sum(axis=0).max())

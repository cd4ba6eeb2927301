"""Words for the names that the program uses: columns, methods, adversaries, and what statements are about.

A name without an entry is the same in both languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, cast

from sekisho.data.identity.forms import IdentityForm
from sekisho.protect import METHODS
from sekisho.words import Language, Said, bilingual, join_words, translate

NAMES: Mapping[str, Said] = {
    "customer": Said("name|customer"),
    "date": Said("name|date"),
    "item": Said("name|item"),
    "price": Said("name|price"),
    "quantity": Said("name|quantity"),
    "chance": Said("name|chance"),
    "containment": Said("name|containment"),
    "maximum-knowledge": Said("name|maximum knowledge"),
    "unique-rows": Said("name|unique rows"),
    "band": Said("name|band"),
    "calibrated": Said("name|calibrated"),
    "density": Said("name|density"),
    "farthest": Said("name|farthest"),
    "index": Said("name|index"),
    "largest-loss": Said("name|largest loss"),
    "mixture": Said("name|mixture"),
    "nearest": Said("name|nearest"),
    "nearest-all": Said("name|nearest all"),
    "nearest-cell": Said("name|nearest cell"),
    "partial-knowledge": Said("name|partial knowledge"),
    "posterior": Said("name|posterior"),
    "prosecutor": Said("name|prosecutor"),
    "random-partner": Said("name|random partner"),
    "swapback": Said("name|swapback"),
    "composition": Said("name|composition"),
    "attribute": Said("name|attribute"),
    "membership": Said("name|membership"),
    "downcode": Said("name|downcode"),
    "reconstruct": Said("name|reconstruct"),
    "equal-records": Said("name|equal records"),
    "borrow": Said("name|borrow"),
    "code": Said("name|code"),
    "decoy": Said("name|decoy"),
    "delete": Said("name|delete"),
    "delete-extremes": Said("name|delete extremes"),
    "delete-random": Said("name|delete random"),
    "delete-small": Said("name|delete small"),
    "lattice": Said("name|lattice"),
    "microaggregate": Said("name|microaggregate"),
    "noise": Said("name|noise"),
    "partition": Said("name|partition"),
    "pram": Said("name|pram"),
    "randomise": Said("name|randomise"),
    "rankswap": Said("name|rankswap"),
    "recordswap": Said("name|recordswap"),
    "sample": Said("name|sample"),
    "suppress": Said("name|suppress"),
    "round": Said("name|round"),
    "intervals": Said("name|intervals"),
    "adjust": Said("name|adjust"),
    "perturb": Said("name|perturb"),
    "swap": Said("name|swap"),
    "coarsen": Said("name|coarsen"),
    "erase": Said("name|erase"),
    "groups": Said("name|groups"),
    "pseudonymise": Said("name|pseudonymise"),
    "similar-length": Said("name|similar length"),
}


PARAMETER = re.compile(r" (?=[a-z_]+=)")
"""Where a parameter begins in a label: ``partition k=7 sensitive=illness l=2``."""
KINDS: Mapping[str, Said] = {
    "distinct": Said("kind|distinct"),
    "entropy": Said("kind|by entropy"),
    "recursive": Said("kind|recursive"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Label:
    """A label read: its name in words, what its parameters say, and the number that tells equal labels apart."""

    name: str
    told: tuple[str, ...]
    number: str

    @classmethod
    def read(cls, label: str, usual: Mapping[str, str]) -> _Label:
        first, *told = PARAMETER.split(label)
        last, number = _split_number(told[-1]) if told else ("", "")
        parameters = {**usual, **dict(one.split("=", 1) for one in (*told[:-1], last) if one)}
        return cls(name=_translate_first(first), told=tuple(_word_parameters(parameters)), number=number)

    def say(self) -> str:
        if not self.told:
            return self.name
        parameters = join_words(self.told, ", ")
        words = Said("{name} ({parameters})", name=self.name, parameters=parameters)
        return join_words((words, self.number)) if self.number else words


def translate_name(name: str) -> str:
    """Return a name in both languages, where Japanese has a word for it; of a label its parameters in words, too.

    Labels are keys of programs (answers, certificates, names of files); this is how people read them.
    """
    return _Label.read(name, {}).say()


def name_candidate(label: str) -> str:
    """Return in words the label of what a method made here of people's data, with the k that labels leave out if usual.

    A release that somebody brought may be called anything, also like a method: of those nothing is said but the label.
    """
    return _Label.read(label, _find_usual(label)).say()


def tell_candidates_apart(labels: Sequence[str]) -> list[str]:
    """Return each label in words without what all of its method say; where one made all of them, without its name."""
    read = [_Label.read(label, _find_usual(label)) for label in labels]
    names = Counter(each.name for each in read)
    said = Counter((each.name, words) for each in read for words in each.told)
    own = [
        replace(each, told=tuple(words for words in each.told if not 1 < names[each.name] == said[each.name, words]))
        for each in read
    ]
    if len(names) == 1 < len(own) and all(each.told for each in own) and len({each.told for each in own}) == len(own):
        return [join_words(each.told, ", ") for each in own]
    return [(one if one.told else each).say() for one, each in zip(own, read, strict=True)]


def _find_usual(label: str) -> dict[str, str]:
    """Return the k that a method has where its label says none."""
    name = label.partition(" ")[0]
    if name not in METHODS.builtin:
        return {}
    usual = next((one.default for one in fields(cast("Any", METHODS[name])) if one.name == "k"), None)
    return {"k": str(usual)} if type(usual) is int else {}


def _translate_first(name: str) -> str:
    """Return a name in words; what else a label says without a key (``suppress 2``) stays."""
    first, _, rest = name.partition(" ")
    if first not in NAMES:
        return name
    return join_words((NAMES[first], f" {rest}")) if rest else NAMES[first]


def _split_number(told: str) -> tuple[str, str]:
    """Return a parameter, and the number that tells labels apart which would be the same: ``k=3 (2)``."""
    number = re.search(r" \(\d+\)$", told)
    return (told, "") if number is None else (told[: number.start()], number[0])


def _word_parameters(told: Mapping[str, str]) -> Iterator[str]:
    """Yield what the parameters of a label say; those that nobody has words for as they are."""
    column, least, kind = told.get("sensitive", ""), told.get("l", ""), told.get("diversity", "")
    for name, value in told.items():
        match name:
            case "sensitive" if least or "t" in told:
                continue  # said with what is asked of it
            case "diversity" if least:
                continue
            case "sensitive":
                yield Said("label|{column} hidden", column=value)
            case "l" if column and kind:
                yield Said("l = {least} of {column}, {kind}", least=value, column=column, kind=KINDS.get(kind, kind))
            case "l" if column:
                yield Said("{least} or more kinds of {column}", least=value, column=column)
            case "t" if column:
                yield Said("t = {value} of {column}", value=value, column=column)
            case "suppress" if (share := _read_share(value)) is not None:
                yield Said("up to {share} of the rows left out", share=f"{float(share):.3g} %")
            case "keys":
                yield Said("by {columns}", columns=value.replace(",", ", "))
            case _:
                yield name if value == str(True) else f"{name} = {value}"


def _read_share(value: str) -> Fraction | None:
    """Return a share in per cent; None of what is none."""
    try:
        return 100 * Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


MEASURE_NAMES: Mapping[str, Said] = {
    "ncp": Said("NCP"),
    "discernibility": Said("discernibility"),
    "entropy": Said("loss|entropy"),
    "marginals": Said("columns (total variation)"),
    "earth-mover": Said("columns (earth mover)"),
    "pair-tables": Said("pairs of columns"),
    "associations": Said("associations"),
}


def name_measure(name: str) -> str:
    """Return a measure as a sentence has it: as it is, in Japanese in words."""
    return bilingual(name, translate(MEASURE_NAMES.get(name, name), Language.JA))


def name_label(label: str) -> str:
    """Return a label as a sentence has it: as it is, in Japanese by its name."""
    named = translate_name(label)
    return bilingual(label, translate(named, Language.JA)) if isinstance(named, Said) else label


SUBJECTS: Mapping[str, Said] = {
    "k-anonymity": Said("k-anonymity"),
    "l-diversity": Said("l-diversity"),
    "t-closeness": Said("t-closeness"),
    "beta-likeness": Said("beta-likeness"),
    "delta-disclosure": Said("delta-disclosure"),
    "prosecutor-risk": Said("chance of being found"),
    "secret-values": Said("secret values that remain possible"),
    "k-map": Said("k-map"),
    "delta-presence": Said("delta-presence"),
    "pk-anonymity": Said("Pk-anonymity"),
    "sampling": Said("sampling"),
    "local-epsilon": Said("a bounded epsilon"),
    "claim H0": Said("the claim H0"),
    "attacks": Said("attacks"),
    "hidden cells": Said("hidden cells"),
    "attribute attack": Said("attack on an attribute"),
    "membership attack": Said("attack on membership"),
    "equal records": Said("copies of records"),
    "together": Said("together with what has already left"),
    "protection intervals": Said("the interval of each hidden cell"),
    "reconstruction": Said("that nobody in a cell of few is certain from all tables together"),
}


def name_subject(subject: str) -> str:
    """Return what a statement is about: ``l-diversity of illness``, ``attacks, union bound``, ``condition rate``."""
    name, of, column = subject.partition(" of ")
    if of and name in SUBJECTS:
        return Said("{subject} of {column}", subject=SUBJECTS[name], column=column)
    first, comma, bound = subject.partition(", ")
    if comma and first in SUBJECTS:
        bounds = {"union bound": Said("union bound"), "exact bound": Said("exact bound")}
        return Said("{subject}, {bound}", subject=SUBJECTS[first], bound=bounds.get(bound, bound))
    kind, _, condition = subject.partition(" ")
    if kind == "condition":
        return Said("condition {condition}", condition=condition)
    return SUBJECTS.get(subject, subject)


def name_guarantee(subject: str) -> str:
    """Return what a statement is about as a sentence has it: as it is, in Japanese in words."""
    return bilingual(subject, translate(name_subject(subject), Language.JA))


FORMS: Mapping[str, Said] = {
    IdentityForm.EMAIL: Said("e-mail addresses"),
    IdentityForm.LINK: Said("links"),
    IdentityForm.NET: Said("addresses of the net"),
    IdentityForm.DEVICE: Said("numbers of devices"),
    IdentityForm.PHONE: Said("telephone numbers"),
    IdentityForm.ADDRESS: Said("street addresses"),
    IdentityForm.ACCOUNT: Said("numbers of accounts or cards"),
    IdentityForm.MY_NUMBER: Said("numbers with the check digit of My Number"),
    IdentityForm.OFFICIAL: Said("numbers that an office gives to one person or firm"),
    IdentityForm.COORDINATES: Said("exact coordinates"),
    IdentityForm.NAMES: Said("names of people"),
    IdentityForm.PARTS: Said("parts of another column that names people"),
    IdentityForm.WORDS: Said("words that may be names"),
    IdentityForm.SENTENCES: Said("texts that speak of people"),
    IdentityForm.PROSE: Said("free text"),
    IdentityForm.CODES: Said("codes of which each stands for few rows"),
    IdentityForm.LISTED: Said("identifiers of the original"),
}
"""What stands in a column that names people."""

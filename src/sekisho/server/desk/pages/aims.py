"""What a person asks of a release, as controls of the page and as edits of the recipe: each control is one line.

A form tells all its controls; an edit is written for those that differ from the version that the person saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sekisho.attack import ADVERSARIES
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, say_rule
from sekisho.gate.names import MEASURE_NAMES, NAMES
from sekisho.gate.policy import ClaimPolicy
from sekisho.gate.recipe_files.keyed_file import FOUND
from sekisho.gate.recipes.making import list_presets, merge_keys, read_preset
from sekisho.protect import METHODS
from sekisho.report.pages.verdicts.adversaries import DEEDS
from sekisho.server.desk.controls import MOST, AimChoice, AimNumber, list_choices, read_number
from sekisho.server.desk.edits import (
    DeskEdit,
    Files,
    find_shape,
    read_keys,
    set_adversaries,
    set_find,
    set_guarantee,
    set_key,
    set_limit,
    set_methods,
    set_preset,
)
from sekisho.server.desk.pages.kept_aims import KeptAims, edit_kept
from sekisho.server.desk.words import DEEDS_OF_METHODS
from sekisho.words import Said

OF_KEYS = ("prosecutor", "nearest-cell", "partial-knowledge")
OF_HISTORIES = ("maximum-knowledge", "containment", "unique-rows", "chance")
GROUPED = ("groups", "similar-length", "coarsen", "erase", "pseudonymise")
MEASURED = {
    Shape.RECORDS: ("pair-tables", "marginals", "associations", "ncp", "entropy", "discernibility"),
    Shape.HISTORY: ("cell-error", "statistics", "rfm", "sales", "item-sets", "item-similarity"),
}
"""Measures that the page has a limit for; further ones of the recipe are shown as well."""
SEARCHED = {Shape.RECORDS: FOUND, Shape.HISTORY: ("groups",)}
"""Methods of which the least k may be looked for."""
SEARCH, WIDER = "find", 4
PRESET_WORDS = {
    "japan-anonymously-processed": Said("Japan: anonymously processed"),
    "official-statistics-tables": Said("official statistics: tables"),
}
OF_PRESETS = {"japan-anonymously-processed": Shape.RECORDS, "official-statistics-tables": Shape.TABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aims:
    """What is asked of a release, as a version has it.

    Attributes:
        shape: of the data.
        own: the recipe's own keys.
        keys: the same with those of its preset below them.
        kept: what must be kept.
    """

    shape: Shape
    own: Mapping[str, Any]
    keys: Mapping[str, Any]
    kept: KeptAims

    @classmethod
    def read(cls, files: Files, folder: Path) -> Aims:
        """Return the aims of a version's files; a preset that cannot be read counts as none."""
        own = read_keys(files, "recipe")
        which = own.get("preset")
        known = isinstance(which, str) and which in list_presets()
        keys = merge_keys(read_preset(str(which), folder), own) if known else own
        return cls(shape=find_shape(files), own=own, keys=keys, kept=KeptAims.read(files))

    @property
    def presets(self) -> list[AimChoice]:
        """The profiles that suit the data; the first is none."""
        now = self.own.get("preset")
        suited = [name for name in list_presets() if OF_PRESETS.get(name, self.shape) is self.shape or name == now]
        named = [AimChoice(name=name, words=PRESET_WORDS.get(name, name), chosen=name == now) for name in suited]
        return [AimChoice(name="", words=Said("my own"), chosen=not now), *named]

    @property
    def numbers(self) -> list[AimNumber]:
        """The numbers that are asked for, those of this shape."""
        if self.shape is Shape.HISTORY:
            left = self.keys.get("leave_out", 0)
            words = Said("People left out at most")
            return [AimNumber(name="leave_out", words=words, value=left or None, low=0, high=50, usual=0)]
        asked = cast("Mapping[str, Any]", self.keys.get("guarantees", {}))
        k = asked.get("k")
        return [
            AimNumber(name="k", words=Said("Alike at least (k)"), value=k, low=2, high=30),
            AimNumber(
                name="l", words=Said("Different sensitive values at least (l)"), value=asked.get("l"), low=1, high=10
            ),
            AimNumber(
                name="t",
                words=Said("Sensitive values as in the whole file (t)"),
                value=asked.get("t"),
                low=0,
                high=1,
                step=0.05,
                whole=False,
            ),
            AimNumber(
                name="risk",
                words=Said("Found at most"),
                value=self.keys.get("risk"),
                low=1,
                high=50,
                share=True,
                usual=1 / k if isinstance(k, int) and k else 0.2,
            ),
            AimNumber(
                name="suppress",
                words=Said("Rows left out at most"),
                value=self._find_suppressed(),
                low=0,
                high=20,
                share=True,
                usual=0,
            ),
        ]

    def _find_suppressed(self) -> float | None:
        """Return the share of rows that may be left out: that of the guarantees, or the largest of the methods."""
        told = cast("Mapping[str, Any]", self.keys.get("guarantees", {})).get("leave_out")
        shares = [told, *(method.get("suppress") for method in self.methods)]
        return max((float(one) for one in shares if isinstance(one, int | float)), default=None)

    @property
    def methods(self) -> list[Mapping[str, Any]]:
        """The ways to protect, as the recipe has them."""
        return list(cast("Sequence[Mapping[str, Any]]", self.keys.get("methods", [])))

    @property
    def find(self) -> Mapping[str, Any] | None:
        """What is searched; None where nothing is."""
        return cast("Mapping[str, Any] | None", self.keys.get("find"))

    @property
    def range(self) -> tuple[str, str]:
        """The ends of the search over k, as the fields have them."""
        ends = (self.find or {}).get("k")
        return (str(ends[0]), str(ends[-1])) if isinstance(ends, list) and ends else ("", "")

    @property
    def wider(self) -> tuple[str, int, int] | None:
        """The search that gives a single way to protect others to compare it with: up to four times its k."""
        if self.find is not None or len(self.methods) != 1:
            return None
        name, k = self.methods[0].get("name"), self.methods[0].get("k")
        return (str(name), k, WIDER * k) if name in SEARCHED.get(self.shape, ()) and isinstance(k, int) else None

    @property
    def method_choices(self) -> list[AimChoice]:
        """The ways to protect that may be ticked; those of the recipe, too, whatever they are."""
        now = [str(method.get("name", "")) for method in self.methods]
        return list_choices(FOUND if self.shape is Shape.RECORDS else GROUPED, now, DEEDS_OF_METHODS)

    @property
    def search_choices(self) -> list[AimChoice]:
        """The methods of which the least k may be looked for; the first is none."""
        now = str((self.find or {}).get("method", ""))
        named = list_choices(SEARCHED.get(self.shape, ()), [now] if now else [], {})
        return [AimChoice(name="", words=Said("no search"), chosen=not now), *named]

    @property
    def adversary_choices(self) -> list[AimChoice]:
        """Who may attack; those of the recipe, too."""
        listed = cast("Sequence[Mapping[str, Any]]", self.keys.get("adversaries", []))
        now = [str(table.get("name", "")) for table in listed]
        return list_choices(OF_KEYS if self.shape is Shape.RECORDS else OF_HISTORIES, now, DEEDS)

    @property
    def limits(self) -> list[AimNumber]:
        """By measure how much may be lost without a look."""
        said = cast("Mapping[str, float]", self.keys.get("limits", {}))
        usual = MEASURED.get(self.shape, ())
        names = [*usual, *(name for name in said if name not in usual)]
        return [
            AimNumber(
                name=name,
                words=MEASURE_NAMES.get(name, NAMES.get(name, name)),
                value=said.get(name),
                low=0,
                high=1,
                step=0.01,
                whole=False,
            )
            for name in names
        ]

    @property
    def is_claim_required(self) -> bool:
        """Whether the claim of a history must be proven."""
        return self.keys.get("claim", ClaimPolicy.REQUIRED) == ClaimPolicy.REQUIRED


@dataclass(slots=True, kw_only=True)
class AimForm:
    """A form of aims, compared with the version that the person saw.

    Attributes:
        fields: by name what was filled in; several of one name for boxes.
        files: of the version.
        aims: of it.
        faults: what is wrong with what was filled in.
    """

    fields: Mapping[str, Sequence[str]]
    files: Files
    aims: Aims
    faults: list[Fault]

    def list_edits(self) -> tuple[DeskEdit, ...]:
        """Return the edits that the form asks for, a control each.

        Raises:
            FaultsError: everything that cannot be read.
        """
        kept = edit_kept(self.fields, self.aims.kept, self._note)
        edits = (*self._edit_preset(), *self._edit_numbers(), *self._edit_lists(), *self._edit_search(), *kept)
        if self.faults:
            raise FaultsError(Said("the form"), self.faults)
        return edits

    def _get(self, name: str) -> str | None:
        """Return what a field has; None where the form has no such field."""
        return self.fields[name][0].strip() if self.fields.get(name) else None

    def _edit_preset(self) -> Iterator[DeskEdit]:
        given = self._get("preset")
        if given is not None and given != str(self.aims.own.get("preset", "")):
            if given and given not in list_presets():
                self._note("preset", Said("be one that is offered"), given)
            else:
                yield from set_preset(given or None)

    def _get_number(self, number: AimNumber, name: str) -> str | None:
        """Return what is asked for: the slider's value where it was moved, else what is typed."""
        slid = self._get(f"{name}.slide")
        return slid if slid not in (None, "", number.text) else self._get(name)

    def _edit_numbers(self) -> Iterator[DeskEdit]:
        for number in self.aims.numbers:
            text = self._get_number(number, number.name)
            if text is not None and text != number.text:
                yield from self._set_number(number, self._read_number(number, text))
        for number in self.aims.limits:
            text = self._get(f"limit.{number.name}")
            if text is not None and text != number.text:
                yield from set_limit(number.name, self._read_number(number, text))

    def _read_number(self, number: AimNumber, text: str) -> float | None:
        value = read_number(number.name, text, self._note, low=number.low, high=100 if number.share else MOST)
        if value is None:
            return None
        if number.share:
            return round(value / 100, 8)
        if number.whole and not value.is_integer():  # less than was asked for would be promised
            self._note(number.name, Said("be a whole number"), text)
            return None
        return int(value) if number.whole else value

    def _set_number(self, number: AimNumber, value: float | None) -> tuple[DeskEdit, ...]:
        match number.name:
            case "k" | "l" | "t":
                return set_guarantee(self.files, number.name, value)
            case "suppress":
                return self._set_suppressed(value)
            case "leave_out":
                return set_key("leave_out", value or None)
            case _:
                return set_key(number.name, value)

    def _set_suppressed(self, value: float | None) -> tuple[DeskEdit, ...]:
        """Write the share where it stands: in the guarantees, else in the methods that leave rows out."""
        asked = cast("Mapping[str, Any]", self.aims.own.get("guarantees", {}))
        methods = [dict(method) for method in cast("Sequence[Mapping[str, Any]]", self.aims.own.get("methods", []))]
        able = [number for number, method in enumerate(methods) if method.get("name") in ("lattice", "code")]
        if not able or "leave_out" in asked:
            return set_guarantee(self.files, "leave_out", value)
        return tuple(DeskEdit(file="recipe", place=("methods", number, "suppress"), value=value) for number in able)

    def _edit_lists(self) -> Iterator[DeskEdit]:
        if "adversaries" in self.fields:
            yield from self._edit_list("adversaries", self.aims.adversary_choices)
        if "methods" in self.fields:
            yield from self._edit_list("methods", self.aims.method_choices)
        claim = self._get("claim")
        if claim is not None and (claim == ClaimPolicy.REQUIRED) is not self.aims.is_claim_required:
            yield from set_key("claim", ClaimPolicy(claim).value if claim in set(ClaimPolicy) else None)

    def _edit_list(self, key: str, choices: Sequence[AimChoice]) -> tuple[DeskEdit, ...]:
        """Write a list with those that are ticked; what the recipe says of each stays."""
        ticked = [name for name in self.fields[key] if name]
        if [one.name for one in choices if one.chosen] == [one.name for one in choices if one.name in ticked]:
            return ()
        registry = ADVERSARIES if key == "adversaries" else METHODS
        for name in ticked:
            if name not in registry:
                self._note(key, Said("be one that is offered"), name)
        before = list(cast("Sequence[Mapping[str, Any]]", self.aims.keys.get(key, [])))
        kept = [table for table in before if table.get("name") in ticked]
        known = {str(table.get("name")) for table in kept}
        added = [self._begin(key, name) for name in ticked if name not in known]
        return (set_adversaries if key == "adversaries" else set_methods)([*kept, *added])

    def _begin(self, key: str, name: str) -> Mapping[str, object]:
        """Return a further method or adversary: with the k that is asked for where it takes one."""
        k = cast("Mapping[str, Any]", self.aims.keys.get("guarantees", {})).get("k")
        takes = key == "methods" and (name in FOUND or name == "groups")
        size = k if k is not None else 7 if name == "groups" else 5
        return {"name": name, "k": size} if takes else {"name": name}

    def _edit_search(self) -> Iterator[DeskEdit]:
        method, low, high = self._get(SEARCH), self._get("find.low"), self._get("find.high")
        if method is None:
            return
        now = dict(self.aims.find or {})
        if (method, low or "", high or "") == (str(now.get("method", "")), *self.aims.range):
            return
        if not method:
            yield from set_find(None)
            return
        ends = [end for end in (low, high) if end]
        sizes = [int(end) for end in ends if end.isascii() and end.isdecimal()]
        if len(sizes) != len(ends) or len(sizes) == 1 or sizes != sorted(sizes) or (sizes and sizes[0] < 2):
            self._note("find.k", Said("be two whole numbers of at least 2, the smaller first, or none"), "–".join(ends))
        now.pop("k", None)
        yield from set_find({**now, "method": method, **({"k": sizes} if sizes else {})})

    def _note(self, column: str, rule: Said, value: object) -> None:
        message = say_rule(column, rule, value)
        self.faults.append(Fault(row=0, column=column, rule=rule, value=str(value)[:80], message=message))

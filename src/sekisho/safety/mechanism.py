"""What was done to a population, described so that anybody can compute with it.

The promise, the analyst's estimate and the adversary's posterior all follow from it. None of it is secret. Only the
chance itself (which records were drawn, which values changed) is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from sekisho.data.files.values import parse_exact
from sekisho.errors import InputError, ParameterError, shorten
from sekisho.safety.epsilon import EpsilonFinding, measure_pram
from sekisho.safety.household_pram import HouseholdUnits
from sekisho.safety.pram import PkAnonymity, PkFinding
from sekisho.safety.sampling import Stratum, check_sizes
from sekisho.safety.transition import Matrix, Real, Replacement, Transition
from sekisho.words import Said

T = TypeVar("T")
WORDS: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """PRAM, then sampling of fixed size, then a shuffle.

    Attributes:
        records: n.
        sample: m.
        domains: each attribute's values in the order of its matrix.
        transitions: each attribute's change by chance.
        stratum: the column by which the sample was stratified; empty if it was not.
        strata: its parts.
        visible: whether the release shows the stratum.
        from_data: attributes whose matrix was made from the records' own shares, which it then shows.
        households: whether whole households were drawn: records and sample then count households.
        units: who lives together, where shared columns were changed once a household; else None.
    """

    records: int
    sample: int
    domains: Mapping[str, tuple[str, ...]]
    transitions: Mapping[str, Transition]
    stratum: str = ""
    strata: tuple[Stratum, ...] = ()
    visible: bool = True
    from_data: tuple[str, ...] = ()
    households: bool = False
    units: HouseholdUnits | None = None

    def __post_init__(self) -> None:
        check_sizes(self.records, self.sample)
        if tuple(self.domains) != tuple(self.transitions):
            raise ParameterError(
                "transitions", Said("be given for {what}", what=", ".join(self.domains)), tuple(self.transitions)
            )
        if not set(self.from_data) <= self.domains.keys():
            raise ParameterError("from_data", Said("name attributes that are changed"), list(self.from_data))
        for name, transition in self.transitions.items():
            if len(set(self.domains[name])) < len(self.domains[name]):
                raise ParameterError(Said("values of {name}", name=name), Said("be distinct"), self.domains[name])
            if transition.size != len(self.domains[name]):
                raise ParameterError(
                    Said("matrix of {name}", name=name),
                    Said("have {domains} values", domains=len(self.domains[name])),
                    transition.size,
                )

    def finding(self) -> PkFinding:
        """Return what is promised against an adversary who may know everything."""
        if self.units is not None:
            return self.units.check(self.transitions)
        guarantee = PkAnonymity(transitions=self.transitions)
        if self.strata:
            return guarantee.check_strata(self.strata, visible=self.visible)
        return guarantee.check(records=self.records, sample=self.sample)

    def measure_epsilon(self) -> EpsilonFinding:
        """Return what it says about one record, or one household: epsilon, and what is taken as public."""
        if self.units is not None:
            return self.units.measure_epsilon(self.transitions, from_data=self.from_data)
        parts = self.strata or (Stratum(name="", records=self.records, sample=self.sample),)
        return measure_pram(self.transitions, parts, stratum=self.stratum, from_data=self.from_data)

    def as_dict(self) -> dict[str, object]:
        """Return the mechanism as plain data; Fractions as written."""
        return {
            "records": self.records,
            "sample": self.sample,
            "stratum": self.stratum,
            "visible": self.visible,
            "strata": [{"name": part.name, "records": part.records, "sample": part.sample} for part in self.strata],
            "attributes": {
                name: {"values": list(self.domains[name]), **_describe_transition(transition)}
                for name, transition in self.transitions.items()
            },
            **({"from_data": list(self.from_data)} if self.from_data else {}),
            **({"households": True} if self.households else {}),
            **self._describe_units(),
        }

    def _describe_units(self) -> dict[str, object]:
        if self.units is None:
            return {}
        sizes = {str(members): count for members, count in sorted(self.units.sizes.items())}
        return {"shared": list(self.units.shared), "households_of": sizes}


def parse_mechanism(text: str, source: object) -> Mechanism:
    """Return a mechanism written as JSON."""
    try:
        description = _require_type(json.loads(text), dict, "the file")
        if description.get("households") or description.get("shared"):
            raise InputError(source, Said("describes households as units of chance, of which nothing is computed"))
        attributes = _require_type(description["attributes"], dict, "attributes")
        entries = {name: _require_type(entry, dict, f"attribute {name}") for name, entry in attributes.items()}
        return Mechanism(
            records=_require_type(description["records"], int, "records"),
            sample=_require_type(description["sample"], int, "sample"),
            domains={name: _read_values(entry, name) for name, entry in entries.items()},
            transitions={name: _read_transition(entry, name) for name, entry in entries.items()},
            stratum=_require_type(description["stratum"], str, "stratum"),
            visible=_require_type(description["visible"], bool, "visible"),
            strata=tuple(_read_stratum(part) for part in _require_type(description["strata"], list, "strata")),
            from_data=tuple(_require_type(description.get("from_data", []), list, "from_data")),
        )
    except KeyError as error:
        raise InputError(
            source, Said("is no description of a mechanism: it does not tell {error}", error=str(error))
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(source, Said("is no description of a mechanism: {error}", error=str(error))) from error


def _require_type(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{what} must be {WORDS[kind]}, not {shorten(value)}")
    return value


def _read_values(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values: list[Any] = _require_type(entry["values"], list, f"the values of {name}")
    return tuple(_require_type(value, str, f"a value of {name}") for value in values)


def _read_stratum(part: object) -> Stratum:
    entry: dict[str, Any] = _require_type(part, dict, "a stratum")
    sizes = {name: _require_type(entry[name], int, f"{name} of a stratum") for name in ("records", "sample")}
    return Stratum(name=_require_type(entry["name"], str, "the name of a stratum"), **sizes)


def _describe_transition(transition: Transition) -> dict[str, object]:
    if not isinstance(transition, Replacement):
        return {"matrix": transition.matrix().tolist()}
    shares = transition.shares
    written_shares = {} if shares is None else {"shares": [_write_number(share) for share in shares]}
    return {"retention": _write_number(transition.retention), **written_shares}


def _read_transition(entry: Mapping[str, Any], name: str) -> Transition:
    if "matrix" in entry:
        rows: list[Any] = _require_type(entry["matrix"], list, f"the matrix of {name}")
        return Matrix(rows=[_read_numbers(row, f"a row of the matrix of {name}") for row in rows])
    shares = entry.get("shares")
    return Replacement(
        values=len(entry["values"]),
        retention=_read_number(entry["retention"], f"the retention of {name}"),
        shares=None if shares is None else tuple(_read_numbers(shares, f"the shares of {name}")),
    )


def _read_numbers(row: object, what: str) -> list[Real]:
    return [_read_number(entry, what) for entry in _require_type(row, list, what)]


def _write_number(value: Real) -> object:
    return str(value) if isinstance(value, Fraction) else value


def _read_number(value: object, what: str) -> Real:
    if isinstance(value, float):
        return value
    try:
        return parse_exact(str(_require_type(value, int, what)) if not isinstance(value, str) else value)
    except ValueError as error:
        raise ValueError(f"{what} must hold numbers such as 0.25 or 1/4, not {shorten(value)}") from error

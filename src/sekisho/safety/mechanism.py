"""What was done to a population, told so that anybody may reckon with it: the promise, the analyst's estimate, the adversary's posterior.

None of it is secret. Only the chance itself (which records were drawn, which values changed) is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from sekisho.errors import InputError, ParameterError
from sekisho.safety.pram import PkAnonymity, PkFinding
from sekisho.safety.sampling import Stratum, check_sizes
from sekisho.safety.transition import Matrix, Real, Replacement, Transition


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
    """

    records: int
    sample: int
    domains: Mapping[str, tuple[str, ...]]
    transitions: Mapping[str, Transition]
    stratum: str = ""
    strata: tuple[Stratum, ...] = ()
    visible: bool = True

    def __post_init__(self) -> None:
        check_sizes(self.records, self.sample)
        if tuple(self.domains) != tuple(self.transitions):
            raise ParameterError("transitions", f"be given for {', '.join(self.domains)}", tuple(self.transitions))
        for name, transition in self.transitions.items():
            if transition.size != len(self.domains[name]):
                raise ParameterError(f"matrix of {name}", f"have {len(self.domains[name])} values", transition.size)

    def finding(self) -> PkFinding:
        """Return what is promised against an adversary who may know everything."""
        guarantee = PkAnonymity(transitions=self.transitions)
        if self.strata:
            return guarantee.check_strata(self.strata, visible=self.visible)
        return guarantee.check(records=self.records, sample=self.sample)

    def as_dict(self) -> dict[str, object]:
        """Return the mechanism as plain data; Fractions as written."""
        return {
            "records": self.records,
            "sample": self.sample,
            "stratum": self.stratum,
            "visible": self.visible,
            "strata": [{"name": part.name, "records": part.records, "sample": part.sample} for part in self.strata],
            "attributes": {
                name: {"values": list(self.domains[name]), **_told(transition)}
                for name, transition in self.transitions.items()
            },
        }


def parse_mechanism(text: str, source: object) -> Mechanism:
    """Return a mechanism written as JSON."""
    try:
        told = cast("Mapping[str, Any]", json.loads(text))
        attributes = told["attributes"]
        return Mechanism(
            records=told["records"],
            sample=told["sample"],
            domains={name: tuple(entry["values"]) for name, entry in attributes.items()},
            transitions={name: _heard(entry) for name, entry in attributes.items()},
            stratum=told["stratum"],
            visible=told["visible"],
            strata=tuple(Stratum(**part) for part in told["strata"]),
        )
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InputError(source, f"is no description of a mechanism: {error}") from error


def _told(transition: Transition) -> dict[str, object]:
    if not isinstance(transition, Replacement):
        return {"matrix": transition.matrix().tolist()}
    shares = transition.shares
    told = {} if shares is None else {"shares": [_written(share) for share in shares]}
    return {"retention": _written(transition.retention), **told}


def _heard(entry: Mapping[str, Any]) -> Transition:
    if "matrix" in entry:
        return Matrix(rows=entry["matrix"])
    shares = entry.get("shares")
    return Replacement(
        values=len(entry["values"]),
        retention=_read(entry["retention"]),
        shares=None if shares is None else tuple(_read(share) for share in shares),
    )


def _written(value: Real) -> object:
    return str(value) if isinstance(value, Fraction) else value


def _read(value: str | float) -> Real:
    return Fraction(value) if isinstance(value, str | int) else value

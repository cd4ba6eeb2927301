"""A search for a release, watched: utility against time on stderr, and an interruption keeps the best so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import parse_fraction, say
from sekisho.cli.kit.progress import show_progress, watch
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.protect import Anytime, Method
from sekisho.safety.rejection import Bound

if TYPE_CHECKING:  # brings the strongest attack, which is loaded only where it is asked for
    from sekisho.gate.history.safe_k import Proof, Safety


class SafeBy(StrEnum):
    """By what the least k is chosen: the strongest attack under a bound, or the claim itself."""

    UNION = "union"
    EXACT = "exact"
    CLAIM = "claim"


Safe = Annotated[
    SafeBy | None,
    typer.Option(
        "--safe",
        help="Choose the least k whose release survives the strongest attack under this bound, or of which the claim "
        "itself is proven.",
    ),
]
Attackers = Annotated[
    int | None, typer.Option("--attackers", help="With --safe union or exact: how many attacks must be survived; 13.")
]
Confidence = Annotated[
    str, typer.Option("--confidence", help="With --safe union or exact: the chance of surviving them all; 0.95.")
]


def wanted_safety(safe: SafeBy | None, attackers: int | None, confidence: str) -> Safety | Proof | None:
    """Return how safe a release must be; None where nothing is asked."""
    if safe is None or safe is SafeBy.CLAIM:
        asked = {"attackers": attackers, "confidence": confidence or None}
        for name, value in asked.items():
            if value is not None:
                raise ParameterError(name, "be given with --safe union or --safe exact", value)
        return None if safe is None else _load_safe_k().Proof()
    safety: Safety = _load_safe_k().Safety(
        bound=Bound(safe), confidence=parse_fraction("confidence", confidence or "0.95")
    )
    return safety if attackers is None else replace(safety, attackers=attackers)


def _load_safe_k() -> ModuleType:
    return import_module("sekisho.gate.history.safe_k")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchedRelease:
    """A release and what its making has to tell."""

    release: Release
    detail: Mapping[str, object]


def make_release(method: Method, data: Dataset, *, rng: np.random.Generator) -> SearchedRelease:
    """Apply a method; a search shows its utility and can be interrupted."""
    if not isinstance(method, Anytime):
        with show_progress("protecting"):
            release = method.apply(data, rng=rng)
        return SearchedRelease(release=release, detail=release.detail)
    last = watch(
        method.improve(data, rng=rng),
        doing="searching",
        tell=lambda step: f"utility {step.utility:.5f}, no release below {step.bound:.5f}",
        keep=lambda step: f"the best release so far is kept, utility {step.utility:.5f}",
    )
    release = last.release()
    return SearchedRelease(release=release, detail={"lower_bound": last.bound, **release.detail})


def warn_of_raw_people(people: int) -> None:
    """Say aloud how many people a release does not protect at all."""
    if people:
        say(f"NOT PROTECTED: {people:,} people are published as they were; whoever knows one row of theirs finds them")

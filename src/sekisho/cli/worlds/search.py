"""A search for a release, watched: utility against time on stderr, and an interruption keeps the best so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import parse_fraction, say
from sekisho.cli.kit.progress import show_progress, watch
from sekisho.contest.history.rules import HistoryRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import BugError, ParameterError
from sekisho.gate.history.safe_k import GroupingMethod, Proof, Safety, prove_k, search_safe_k
from sekisho.protect import Anytime, Method
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed


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
        return None if safe is None else Proof()
    safety = Safety(bound=Bound(safe), confidence=parse_fraction("confidence", confidence or "0.95"))
    return safety if attackers is None else replace(safety, attackers=attackers)


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


def make_safe_release(
    method: Method, data: Dataset, rules: HistoryRules, safety: Safety | Proof, *, seed: Seed
) -> SearchedRelease:
    """Apply a grouping method with the least k that is safe."""
    if not isinstance(method, GroupingMethod):
        raise ParameterError("safe", "be asked of a method with a group size k", type(method).__name__)
    if isinstance(safety, Proof):
        with show_progress("protecting"):
            proven = prove_k(method, data, rules, seed=seed)
        say(f"k = {proven.k}: the claim holds, proven if {proven.claim.assumption}")
        return SearchedRelease(
            release=proven.release, detail={"k": proven.k, "claim": proven.claim.standing, **proven.release.detail}
        )
    for tried in search_safe_k(method, data, rules, safety, seed=seed):
        say(f"k = {tried.k}: survives {safety.attackers} attackers with chance {tried.survival:.4f}")
        if tried.safe:
            detail = {"k": tried.k, "survival": tried.survival, **tried.release.detail}
            return SearchedRelease(release=tried.release, detail=detail)
    raise BugError("the search for a safe k ended without one")

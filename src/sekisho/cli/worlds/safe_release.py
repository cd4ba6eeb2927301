"""A release whose k is not named but chosen: the least that is safe. Loaded where it is asked for, with the attack."""

from __future__ import annotations

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.search import SearchedRelease
from sekisho.data.frame.dataset import Dataset
from sekisho.errors import BugError, ParameterError
from sekisho.gate.history.safe_k import GroupingMethod, Proof, Safety, prove_k, search_safe_k
from sekisho.protect import Method
from sekisho.safety.terms import HistoryTerms
from sekisho.seeds import Seed


def make_safe_release(
    method: Method, data: Dataset, rules: HistoryTerms, safety: Safety | Proof, *, seed: Seed
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

"""How the table commands tell what a certificate of published statements proves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sekisho.tables.check.release_claims import ClaimedRelease
from sekisho.words import Said

PROMISED = frozenset({"round", "small", "perturb", "intervals"})
"""Methods of which a reader's intervals are proven; an adjustment keeps a distance only."""


def describe_release(claimed: ClaimedRelease) -> dict[str, object]:
    """Return what a valid certificate proves, and what the optimiser said beside it."""
    return {
        "method": claimed.method,
        "parameters": {**claimed.numbers, **claimed.words},
        "primary": claimed.cells.status.count("primary"),
        "status": claimed.status,
        "cost": float(claimed.cost),
        "bound": float(claimed.bound),
        "solver_bound": None if claimed.solver_bound is None else float(claimed.solver_bound),
        "joint": claimed.joint,
        "against": list(claimed.against),
        **({"limit": claimed.limit} if claimed.limit else {}),
    }


def list_released(keys: Mapping[str, object]) -> Iterator[str]:
    """Yield what a valid certificate proves, in words."""
    against = ", ".join(map(str, keys["against"])) if isinstance(keys["against"], list) else ""
    yield Said("valid")
    if keys["method"] in PROMISED:
        yield Said(
            "each of the {primary} unsafe cells keeps its width for a reader who knows: {against}",
            primary=keys["primary"],
            against=against,
        )
    else:
        yield Said(
            "each of the {primary} unsafe cells is shown at its distance from the truth; what a reader concludes is "
            "not proven",
            primary=keys["primary"],
        )
    if keys.get("limit"):
        yield Said("limit: {limit}", limit=keys["limit"])
    if keys["status"] == "drawn":
        yield Said("chance chose what is shown: no least cost is claimed")
        return
    costs = Said(
        "the release costs {cost:g}, and none costs less than {bound:g}", cost=keys["cost"], bound=keys["bound"]
    )
    yield Said("optimal: {costs}", costs=costs) if keys["status"] == "optimal" else costs

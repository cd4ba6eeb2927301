"""What covers the columns of a history at the gate: the claim H0, guarantees and reasons, put to the account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.candidate_search import number_twins
from sekisho.attack.history.histories import sort_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import list_pseudonyms
from sekisho.gate.account.account import Account, Unit, UnitOrigin
from sekisho.gate.account.history import ClaimCover, HistoryQuestion, LearntValues
from sekisho.gate.history.guarantees import settle_sensitive
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.policy import ClaimPolicy
from sekisho.safety.claim import ClaimFinding, SafetyClaim, Standing
from sekisho.safety.cover import Coverage, read_cover
from sekisho.safety.guarantee import Finding
from sekisho.safety.pseudonyms import find_release_pattern
from sekisho.safety.secret_values import count_possible_values, list_known_columns

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.protect.beyond_memory import EngineRelease


def count_twin_claim(original: Dataset, release: Release, recipe: HistoryRecipe) -> ClaimFinding:
    """Return whether H0 is proven of a release by who publishes the same rows; a class that is closed is not told.

    That is enough where nobody attacks: only attacks tell a claim that is refuted from one that is not proven.
    """
    rows = sort_published(release.table, original, deleted=release.deleted)
    sizes = np.bincount(number_twins(rows)) if len(rows.pseudonyms) else np.zeros(0, dtype=np.int64)
    return replace(count_claim(sizes.astype(np.int64), recipe), pattern=find_release_pattern(original, release))


def count_claim(sizes: NDArray[np.int64], recipe: HistoryRecipe) -> ClaimFinding:
    """Return whether H0 is proven by the sizes of the classes of pseudonyms that publish the same rows."""
    return SafetyClaim(p=recipe.rules.verdict.p).check_classes(sizes, np.zeros(len(sizes), dtype=np.bool_))


def account_for_history(
    recipe: HistoryRecipe,
    original: Dataset,
    release: Release,
    claim: ClaimFinding,
    findings: Mapping[str, Finding],
) -> Account:
    """Return the account of a release whose rows are in memory.

    Args:
        recipe: what is asked.
        original: what the release was made of.
        release: it.
        claim: how H0 stands.
        findings: by guarantee and column whether what is asked for of what is learnt is kept.
    """
    if recipe.rules.layout.strict:
        return Account.of_round()
    table = release.table.take(~release.deleted)
    hidden = frozenset(
        name for name, cells in table.columns.items() if bool((cells.suppressed | cells.is_missing()).all())
    )
    sensitive = settle_sensitive(original.schema, recipe.sensitive)
    shown = [name for name in sensitive if name not in hidden]
    holder = original.schema.identifier
    question = HistoryQuestion(
        unit=Unit(
            who="" if holder is None else holder.name,
            origin=UnitOrigin.KNOWN,
            people=len(np.unique(list_pseudonyms(table))),
            rows=len(table),
        ),
        columns=original.schema.names,
        leaving=tuple(table.columns),
        hidden=hidden,
        claim=cover_by_claim(claim, recipe.claim),
        learnt={
            name: _count_learnt(recipe, release, name, list_known_columns(original.schema, sensitive), findings)
            for name in shown
        },
        learnable=recipe.learnable,
    )
    return question.account()


def account_for_engine_history(recipe: HistoryRecipe, release: EngineRelease, sizes: NDArray[np.int64]) -> Account:
    """Return the account of a release whose rows stay with an engine; what may be learnt is not counted there.

    Args:
        recipe: what is asked.
        release: it.
        sizes: of each class of pseudonyms with the very same rows how many they are.
    """
    layout = release.terms.layout
    if layout.strict:
        return Account.of_round()
    schema = layout.schema
    unknown = LearntValues(least=None, single=0, people=0, kept=False)
    question = HistoryQuestion(
        unit=Unit(who=release.holder, origin=UnitOrigin.KNOWN, people=int(sizes.sum()), rows=release.kept),
        columns=schema.names,
        leaving=tuple(column.name for column in schema.attributes),
        hidden=frozenset(),
        claim=cover_by_claim(count_claim(sizes, recipe), recipe.claim),
        learnt=dict.fromkeys(settle_sensitive(schema, recipe.sensitive), unknown),
        learnable=recipe.learnable,
    )
    return question.account()


def cover_by_claim(claim: ClaimFinding, policy: ClaimPolicy) -> ClaimCover:
    """Return what the claim H0 covers as it stands."""
    return ClaimCover(
        asked=policy is ClaimPolicy.REQUIRED,
        proven=claim.standing is Standing.HOLDS,
        telling_names=claim.pattern is not None,
        least=min((twins.size for twins in claim.by_size), default=0),
    )


def is_learnt_covered(recipe: HistoryRecipe, column: str, findings: Mapping[str, Finding]) -> bool:
    """Tell whether a guarantee of what is learnt of a column is asked for and kept."""
    covering = _list_covering(recipe, column)
    kept = [findings[name].kept for name in covering if name in findings]
    return bool(kept) and all(kept)


def _list_covering(recipe: HistoryRecipe, column: str) -> Iterable[str]:
    asked = recipe.guarantees.make_of_column(column)
    return (name for name, guarantee in asked.items() if read_cover(guarantee) is Coverage.SECRET)


def _count_learnt(
    recipe: HistoryRecipe,
    release: Release,
    column: str,
    known: tuple[str, ...],
    findings: Mapping[str, Finding],
) -> LearntValues:
    values = count_possible_values(release, column, known)
    return LearntValues(
        least=values.least,
        single=values.count_below(2),
        people=values.people,
        kept=is_learnt_covered(recipe, column, findings),
    )

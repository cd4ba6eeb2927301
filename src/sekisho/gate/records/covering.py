"""What covers the columns of records at the gate: guarantees, promises of methods and roles, put to the account.

Every promise that a recipe asks for or a method makes is looked at as it is counted in the release: guarantees by their
findings, classes that a method promises by its own word (which is counted again before a file is written, and a file
that breaks it is a fault of ours), chance by the mechanism that drew the release.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from sekisho.data.files.schema_files.schema_file import ColumnRules
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.gate.account.account import Account, Unit
from sekisho.gate.account.columns import FrameColumns
from sekisho.gate.account.records import CoverPromise, RecordsQuestion
from sekisho.gate.names import name_guarantee
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect.records.pram import ChangedByChance
from sekisho.protect.records.sample import DrawnSample
from sekisho.safety import Guarantee
from sekisho.safety.cover import Coverage, read_cover
from sekisho.safety.epsilon import StatesEpsilon
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.closeness import MOST_DISTANCE
from sekisho.safety.transition import keeps_values
from sekisho.words import Said

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.protect.beyond_memory import EngineRelease

MOST_EPSILON = 3.0
"""Above it, e to that power being about 20, what one record may change says hardly anything."""
LEAST_K = 2
"""Fewer records alike are a person each."""


def account_for_release(
    recipe: RecordsRecipe,
    original: Dataset,
    release: Release,
    unit: Unit,
    *,
    keys: Sequence[str],
    sensitive: Sequence[str],
    promises: Sequence[CoverPromise],
) -> Account:
    """Return the account of a release whose rows are in memory.

    Args:
        recipe: what is said of columns.
        original: what the release was made of.
        release: it.
        unit: whose rows they are.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        promises: what is asked for or promised, as it is counted.
    """
    if recipe.rules.layout.strict:
        return Account.of_round()
    question = make_question(recipe, original.schema, unit, keys=keys, sensitive=sensitive, promises=promises)
    return question.account(FrameColumns.of_release(release))


def make_question(
    recipe: RecordsRecipe,
    schema: Schema,
    unit: Unit,
    *,
    keys: Sequence[str],
    sensitive: Sequence[str],
    promises: Sequence[CoverPromise],
) -> RecordsQuestion:
    """Return what is said of the columns of records, wherever their rows are."""
    weights = (recipe.weights,) if recipe.weights else ()
    described = recipe.rules.layout.described.columns
    quasi = tuple(column.output_name for column in described if column.role is Role.QUASI and column.role_given)
    return RecordsQuestion(
        unit=unit,
        columns=schema.names,
        keys=tuple(dict.fromkeys((*keys, *weights))),
        sensitive=tuple(sensitive),
        overlooked=tuple(name for name in quasi if name not in keys),
        harmless=recipe.harmless,
        learnable=recipe.learnable,
        promises=tuple(promises),
    )


def find_roles(
    recipe: RecordsRecipe, described: Sequence[ColumnRules], names: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what may be known of a person and what must stay hidden, as far as anybody says so.

    Args:
        recipe: which names them, or leaves it to the schema.
        described: the columns of the schema; a role that nobody gave is nobody's word.
        names: the columns that there are.
    """
    roles = {column.output_name: column.role for column in described if column.role_given}
    sensitive = recipe.sensitive or tuple(name for name, role in roles.items() if role is Role.SENSITIVE)
    keys = recipe.keys or tuple(name for name, role in roles.items() if role is Role.QUASI)
    return (
        tuple(name for name in keys if name in names and name not in sensitive),
        tuple(name for name in sensitive if name in names),
    )


def list_asked(
    guarantees: Mapping[str, Guarantee], findings: Mapping[str, Finding], keys: Sequence[str]
) -> Iterator[CoverPromise]:
    """Give what a recipe asks for, as it was found in the release."""
    for name, finding in findings.items():
        guarantee = guarantees.get(name)
        cover = Coverage.KEYED if guarantee is None else read_cover(guarantee)
        column = "" if guarantee is None else str(getattr(guarantee, "sensitive", ""))
        yield CoverPromise(
            cover=cover,
            columns=(column,) if cover is Coverage.SECRET else tuple(keys),
            words=Said("{guarantee} {figure:.4g}, counted", guarantee=name_guarantee(name), figure=finding.worst),
            figure=finding.worst,
            kept=finding.kept,
        )


def list_promised(detail: Mapping[str, object]) -> Iterator[CoverPromise]:
    """Give what a method promises of the classes of its release."""
    for name in ("alike", "matched"):
        promise = detail.get(name)
        if not isinstance(promise, Mapping):
            continue
        classes = cast("Mapping[str, object]", promise)
        keys, least = tuple(map(str, cast("Sequence[str]", classes["keys"]))), cast("int", classes["least"])
        yield CoverPromise(
            cover=Coverage.KEYED,
            columns=keys,
            words=Said("k = {k:g}, counted", k=least),
            figure=least,
            kept=least >= LEAST_K,
        )
        asked = classes.get("sensitive")
        if isinstance(asked, Mapping):
            yield from _list_learnt(cast("Mapping[str, object]", asked))


def _list_learnt(asked: Mapping[str, object]) -> Iterator[CoverPromise]:
    column = (str(asked["column"]),)
    if asked.get("l") is not None:
        least = float(cast("float", asked["l"]))
        words = Said("l = {l:g}, counted", l=least)
        yield CoverPromise(cover=Coverage.SECRET, columns=column, words=words, figure=least, kept=least > 1)
    if asked.get("t") is not None:
        far = float(cast("float", asked["t"]))
        words = Said("t = {t:g}, counted", t=far)
        yield CoverPromise(cover=Coverage.SECRET, columns=column, words=words, figure=far, kept=far <= MOST_DISTANCE)


def list_drawn(
    release: Release | EngineRelease, columns: Sequence[str], *, allowed: float, refuted: bool
) -> Iterator[CoverPromise]:
    """Give what the mechanism of a release promises of the columns that it changes, or of records that it draws.

    Args:
        release: records that chance made, or any other.
        columns: all that it has.
        allowed: the largest chance with which somebody may be named.
        refuted: whether an attack was right more often than was promised.
    """
    if isinstance(release, ChangedByChance):
        risk, mechanism = float(release.guarantee.risk), release.mechanism
        changed = [name for name, transition in mechanism.transitions.items() if not keeps_values(transition)]
        stratum = (mechanism.stratum,) if mechanism.stratum else ()  # the promise holds within each stratum
        yield CoverPromise(
            cover=Coverage.NOISED,
            columns=(*changed, *stratum),
            words=Said("Pk, k = {k:.4g}, promised if the values were drawn at random", k=1 / risk),
            figure=1 / risk,
            kept=risk <= allowed and not refuted,
        )
    elif isinstance(release, DrawnSample) and release.risk is not None:
        risk = float(release.risk.risk)
        yield CoverPromise(
            cover=Coverage.SAMPLED,
            columns=tuple(columns),
            words=Said(
                "a chance of {risk:.4g}, promised if an adversary knows {known:,} {known:record|records} and the "
                "others are like them",
                risk=risk,
                known=release.known,
            ),
            figure=risk,
            kept=release.risk.promised and risk <= allowed and not refuted,
        )
    elif isinstance(release, StatesEpsilon):
        yield from _list_noised(release)


def _list_noised(release: StatesEpsilon) -> Iterator[CoverPromise]:
    noised, epsilon = release.epsilon.bounded, release.epsilon.bounded_odds.epsilon
    if noised:
        yield CoverPromise(
            cover=Coverage.NOISED,
            columns=tuple(noised),
            words=Said("epsilon = {epsilon:.4g}, promised if the values were drawn at random", epsilon=epsilon),
            figure=epsilon,
            kept=epsilon <= MOST_EPSILON,
        )

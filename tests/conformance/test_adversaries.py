"""What every registered adversary must keep, whatever his method, once for every shape that he says he suits.

One who must be told more than the rules say has it in ``PARAMETERS``; one who suits other records than the health
records has a scene of his own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from inspect import signature
from typing import Any, cast

import numpy as np
import pytest
from polars.testing import assert_frame_equal
from tests.attack.histories import SCHEMA, make_shop, pseudonymise
from tests.conformance import samples
from tests.renamed import renamed_data, renamed_table

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import LinkageAdversary
from sekisho.data.frame.cells import SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.fit import fit
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed

NAMES = tuple(ADVERSARIES)
SUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape in ADVERSARIES.shapes(name)]
UNSUITED = [(name, shape) for name in NAMES for shape in samples.TRIED if shape not in ADVERSARIES.shapes(name)]
OF_HISTORIES = tuple(ADVERSARIES.find_names(Shape.HISTORY))
LINKERS = tuple(
    name for name in ADVERSARIES.find_names(Shape.RECORDS) if issubclass(ADVERSARIES[name], LinkageAdversary)
)

PEOPLE = samples.only_categories(samples.records())
DRAWN = Pram(k=Fraction(2), sample=60).apply(PEOPLE, rng=Seed(6).rng())
PARAMETERS: Mapping[str, Mapping[str, object]] = {"posterior": {"mechanism": DRAWN.mechanism}}

KNOWLEDGE = make_shop(12, rng=Seed(1).rng(), longest=8)
RELEASE, _ = pseudonymise(KNOWLEDGE, rng=Seed(2).rng())
BLURRED = MaskedTable(
    schema=SCHEMA,
    columns={name: cells.suppress(np.arange(len(RELEASE)) % 3 == 0) for name, cells in RELEASE.columns.items()},
    pseudonym=RELEASE.pseudonym,
)
STRANGERS = make_shop(5, rng=Seed(3).rng(), longest=3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scene:
    """What an adversary sees and knows, and what he may say of it."""

    release: MaskedTable
    knowledge: Dataset
    published: frozenset[int]
    people: frozenset[str]


@cache
def scenes(name: str, shape: Shape) -> tuple[Scene, ...]:
    """Return what to try an adversary on."""
    if shape is Shape.HISTORY:
        assert RELEASE.pseudonym is not None
        there = frozenset(RELEASE.pseudonym.tolist()), frozenset(KNOWLEDGE.domain("customer"))
        return tuple(
            Scene(release=table, knowledge=KNOWLEDGE, published=there[0], people=there[1])
            for table in (RELEASE, BLURRED)
        )
    if name in {"partial-knowledge", "posterior"}:
        return (of_rows(DRAWN.table.take(DRAWN.drawn), PEOPLE),)
    data = samples.records()
    changed = fit(Swap(few=-1), samples.said(shape))
    release = InTurn(delete=DeleteRandom(share=0.4), change=changed).apply(data, rng=Seed(2).rng())
    return (of_rows(release.table.take(~release.deleted), Dataset(data.frame[:60], data.schema)),)


def of_rows(table: MaskedTable, known: Dataset) -> Scene:
    return Scene(
        release=table,
        knowledge=known,
        published=frozenset(range(len(table))),
        people=frozenset(map(str, range(len(known)))),
    )


def made(name: str, shape: Shape) -> Adversary:
    return fit(ADVERSARIES.make(name, **PARAMETERS.get(name, {})), samples.said(shape))


def guesses(name: str, shape: Shape, seed: int = 4) -> list[Guess]:
    return [
        made(name, shape).guess(scene.release, scene.knowledge, rng=Seed(seed).rng()) for scene in scenes(name, shape)
    ]


def said_by(guess: Guess) -> tuple[bytes, tuple[str, ...], bytes, float | None]:
    return guess.published.tobytes(), guess.person, guess.chance.tobytes(), guess.predicted


@pytest.mark.parametrize("name", NAMES)
def test_an_adversary_is_a_frozen_value_that_says_his_shapes_his_source_and_what_each_parameter_does(name: str) -> None:
    kind = ADVERSARIES[name]
    assert samples.says_shapes(kind)
    assert samples.is_plain_value(kind)
    assert samples.names_source(kind)
    assert all(item.metadata.get("help") for item in fields(cast("Any", kind)))
    assert signature(kind.guess).parameters["rng"].default is signature(kind.guess).empty
    one, other = (ADVERSARIES.make(name, **PARAMETERS.get(name, {})) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_names_only_who_is_there_with_chances_that_are_chances(name: str, shape: Shape) -> None:
    for guess, scene in zip(guesses(name, shape), scenes(name, shape), strict=True):
        assert set(guess.published.tolist()) <= scene.published
        assert set(guess.person) <= scene.people
        assert bool((np.isnan(guess.chance) | ((guess.chance >= 0) & (guess.chance <= 1))).all())
        assert guess.predicted is None or 0 <= guess.predicted <= 1


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_leaves_its_inputs_untouched(name: str, shape: Shape) -> None:
    before = [(samples.table_bytes(scene.release), scene.knowledge.frame.clone()) for scene in scenes(name, shape)]
    guesses(name, shape)
    for scene, (table, frame) in zip(scenes(name, shape), before, strict=True):
        assert samples.table_bytes(scene.release) == table
        assert_frame_equal(scene.knowledge.frame, frame)


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_same_seed_same_bytes(name: str, shape: Shape) -> None:
    first, second = ([said_by(guess) for guess in guesses(name, shape, seed=5)] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("name", "shape"), SUITED)
def test_no_adversary_names_a_column(name: str, shape: Shape) -> None:
    names, parameters = samples.NAMES[shape], dict(PARAMETERS.get(name, {}))
    if "mechanism" in parameters:
        parameters["mechanism"] = replace(
            DRAWN.mechanism,
            domains={names[key]: value for key, value in DRAWN.mechanism.domains.items()},
            transitions={names[key]: value for key, value in DRAWN.mechanism.transitions.items()},
        )
    adversary = fit(ADVERSARIES.make(name, **parameters), samples.said_otherwise(shape))
    for guess, scene in zip(guesses(name, shape), scenes(name, shape), strict=True):
        release, knowledge = renamed_table(scene.release, names), renamed_data(scene.knowledge, names)
        assert said_by(adversary.guess(release, knowledge, rng=Seed(4).rng())) == said_by(guess)


@pytest.mark.parametrize(("name", "shape"), UNSUITED)
def test_data_of_another_shape_are_refused_in_our_words(name: str, shape: Shape) -> None:
    (own,) = ADVERSARIES.shapes(name) & set(samples.TRIED)
    (scene, *_) = scenes("nearest" if shape is Shape.RECORDS else "chance", shape)
    asked = "pseudonym|identifier" if shape is Shape.RECORDS else "one row a person"
    with pytest.raises(SekishoError, match=asked):
        made(name, cast("Shape", own)).guess(scene.release, scene.knowledge, rng=Seed(4).rng())


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_the_order_of_the_rows_tells_nothing(name: str) -> None:
    turned = BLURRED.take(np.arange(len(BLURRED))[::-1])
    first = made(name, Shape.HISTORY).guess(BLURRED, KNOWLEDGE, rng=Seed(5).rng())
    second = made(name, Shape.HISTORY).guess(turned, KNOWLEDGE, rng=Seed(5).rng())
    assert first.published.tolist() == second.published.tolist()
    assert first.person == second.person


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_a_release_of_no_rows_is_answered(name: str) -> None:
    assert len(made(name, Shape.HISTORY).guess(RELEASE.take(np.arange(0)), KNOWLEDGE, rng=Seed(4).rng())) == 0


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_a_release_without_pseudonyms_is_refused_in_our_words(name: str) -> None:
    bare = MaskedTable(schema=SCHEMA, columns=RELEASE.columns)
    with pytest.raises(SekishoError, match="pseudonym"):
        made(name, Shape.HISTORY).guess(bare, KNOWLEDGE, rng=Seed(4).rng())


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_knowledge_of_nobody_is_refused_in_our_words(name: str) -> None:
    with pytest.raises(SekishoError, match="identifier"):
        made(name, Shape.HISTORY).guess(RELEASE, RELEASE.to_dataset(), rng=Seed(4).rng())


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_knowledge_of_other_people_ends_in_a_guess_or_in_our_words(name: str) -> None:
    # The item domains differ, there are fewer people than pseudonyms, and nobody explains anything.
    try:
        guess = made(name, Shape.HISTORY).guess(RELEASE, STRANGERS, rng=Seed(4).rng())
    except SekishoError:
        return
    assert set(guess.person) <= set(STRANGERS.domain("customer"))


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_the_codes_of_the_items_tell_nothing(name: str) -> None:
    # The same release, coded in a domain with a value more, which sorts before all others.
    cells = BLURRED.sets("item")
    wider = SetCells(
        offsets=cells.offsets,
        codes=cells.codes + np.int32(1),
        suppressed=cells.suppressed,
        domain=("a", *cells.domain),
    )
    recoded = MaskedTable(schema=SCHEMA, columns={**BLURRED.columns, "item": wider}, pseudonym=BLURRED.pseudonym)
    first = made(name, Shape.HISTORY).guess(BLURRED, KNOWLEDGE, rng=Seed(5).rng())
    second = made(name, Shape.HISTORY).guess(recoded, KNOWLEDGE, rng=Seed(5).rng())
    assert first.published.tolist() == second.published.tolist()
    assert first.person == second.person


@pytest.mark.parametrize("name", LINKERS)
def test_a_release_too_small_to_answer_is_refused_in_our_words(name: str) -> None:
    (scene,) = scenes(name, Shape.RECORDS)
    with pytest.raises(SekishoError, match="release must have at least 3 rows, not 2"):
        made(name, Shape.RECORDS).guess(scene.release.take(np.arange(2)), scene.knowledge, rng=Seed(1).rng())


@pytest.mark.parametrize("name", LINKERS)
def test_sixty_known_records_against_a_handful_of_rows_are_answered(name: str) -> None:
    (scene,) = scenes(name, Shape.RECORDS)
    guess = made(name, Shape.RECORDS).guess(scene.release.take(np.arange(30)), scene.knowledge, rng=Seed(1).rng())
    lines = guess.rows(60, 3)
    assert lines.min() >= -1
    assert lines.max() < 30
    assert guess.people() > 0

"""What every registered adversary must keep, whatever his method."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from inspect import getdoc, getmodule, signature

import numpy as np
import pytest
from numpy.typing import NDArray
from polars.testing import assert_frame_equal
from tests.attack.histories import SCHEMA, pseudonymised, shop

from sekisho.attack import ADVERSARIES
from sekisho.data.frame.cells import RangeCells, SetCells
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import SekishoError
from sekisho.seeds import Seed

NAMES = list(ADVERSARIES)
KNOWLEDGE = shop(12, rng=Seed(1).rng(), longest=8)
RELEASE, _ = pseudonymised(KNOWLEDGE, rng=Seed(2).rng())
BLURRED = MaskedTable(
    schema=SCHEMA,
    columns={name: cells.suppress(np.arange(len(RELEASE)) % 3 == 0) for name, cells in RELEASE.columns.items()},
    pseudonym=RELEASE.pseudonym,
)
STRANGERS = shop(5, rng=Seed(3).rng(), longest=3)


def arrays(table: MaskedTable) -> list[bytes]:
    parts: list[NDArray[np.generic]] = [np.zeros(0) if table.pseudonym is None else table.pseudonym]
    for cells in table.columns.values():
        parts += [cells.lower, cells.upper] if isinstance(cells, RangeCells) else [cells.offsets, cells.codes]
        parts.append(cells.suppressed)
    return [part.tobytes() for part in parts]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("release", [RELEASE, BLURRED], ids=["raw", "blurred"])
def test_names_only_who_is_there_with_chances_that_are_chances(name: str, release: MaskedTable) -> None:
    guess = ADVERSARIES.make(name).guess(release, KNOWLEDGE, rng=Seed(4).rng())
    assert release.pseudonym is not None
    assert set(guess.published.tolist()) <= set(release.pseudonym.tolist())
    assert set(guess.person) <= set(KNOWLEDGE.domain("customer"))
    assert bool(((guess.chance >= 0) & (guess.chance <= 1)).all())


@pytest.mark.parametrize("name", NAMES)
def test_leaves_its_inputs_untouched(name: str) -> None:
    table, frame = arrays(BLURRED), KNOWLEDGE.frame.clone()
    ADVERSARIES.make(name).guess(BLURRED, KNOWLEDGE, rng=Seed(4).rng())
    assert arrays(BLURRED) == table
    assert_frame_equal(KNOWLEDGE.frame, frame)


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes(name: str) -> None:
    first, second = (ADVERSARIES.make(name).guess(BLURRED, KNOWLEDGE, rng=Seed(5).rng()) for _ in range(2))
    assert first.published.tobytes() == second.published.tobytes()
    assert first.person == second.person
    assert first.chance.tobytes() == second.chance.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_rows_tells_nothing(name: str) -> None:
    turned = BLURRED.take(np.arange(len(BLURRED))[::-1])
    first = ADVERSARIES.make(name).guess(BLURRED, KNOWLEDGE, rng=Seed(5).rng())
    second = ADVERSARIES.make(name).guess(turned, KNOWLEDGE, rng=Seed(5).rng())
    assert first.published.tolist() == second.published.tolist()
    assert first.person == second.person


@pytest.mark.parametrize("name", NAMES)
def test_a_release_of_no_rows_is_answered(name: str) -> None:
    assert len(ADVERSARIES.make(name).guess(RELEASE.take(np.arange(0)), KNOWLEDGE, rng=Seed(4).rng())) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_release_without_pseudonyms_is_refused_in_our_words(name: str) -> None:
    bare = MaskedTable(schema=SCHEMA, columns=RELEASE.columns)
    with pytest.raises(SekishoError, match="pseudonym"):
        ADVERSARIES.make(name).guess(bare, KNOWLEDGE, rng=Seed(4).rng())


@pytest.mark.parametrize("name", NAMES)
def test_knowledge_of_nobody_is_refused_in_our_words(name: str) -> None:
    table = RELEASE.dataset()
    with pytest.raises(SekishoError, match="identifier"):
        ADVERSARIES.make(name).guess(RELEASE, table, rng=Seed(4).rng())


@pytest.mark.parametrize("name", NAMES)
def test_knowledge_of_other_people_ends_in_a_guess_or_in_our_words(name: str) -> None:
    # The item domains differ, there are fewer people than pseudonyms, and nobody explains anything.
    try:
        guess = ADVERSARIES.make(name).guess(RELEASE, STRANGERS, rng=Seed(4).rng())
    except SekishoError:
        return
    assert set(guess.person) <= set(STRANGERS.domain("customer"))


@pytest.mark.parametrize("name", NAMES)
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
    first = ADVERSARIES.make(name).guess(BLURRED, KNOWLEDGE, rng=Seed(5).rng())
    second = ADVERSARIES.make(name).guess(recoded, KNOWLEDGE, rng=Seed(5).rng())
    assert first.published.tolist() == second.published.tolist()
    assert first.person == second.person


@pytest.mark.parametrize("name", NAMES)
def test_is_a_frozen_value_that_names_its_source(name: str) -> None:
    kind = ADVERSARIES[name]
    module = getmodule(kind)
    assert is_dataclass(kind)
    assert hash(ADVERSARIES.make(name)) == hash(ADVERSARIES.make(name))
    assert all(item.kw_only for item in fields(kind))
    assert module is not None
    assert "Source:" in (getdoc(module) or "")
    assert signature(kind.guess).parameters["rng"].default is signature(kind.guess).empty

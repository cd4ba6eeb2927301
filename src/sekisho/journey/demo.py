"""The journey that anyone can watch at once: a synthetic history, five ways to protect it, four attacks on each."""

from __future__ import annotations

from pathlib import Path

from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InputError, say_failure
from sekisho.gate.rulebooks import read_history_terms
from sekisho.journey.entry import Entry, ReadRecipe
from sekisho.seeds import Seed
from sekisho.words import Said

CUSTOMERS = 200
RULES = "pwscup2018"
ORIGINAL, RECIPE = "T.csv", "recipe.toml"
DEMO_FILES = (ORIGINAL, RECIPE)
RECIPE_TEXT = """# What the demonstration does: sekisho gate recipe.toml does it again.
title = {{ en = "A shop's purchases (synthetic)", ja = "小売店の購買履歴（合成データ）" }}
rules = "pwscup2018"
original = "T.csv"
bound = "exact"
seed = {seed}

[[methods]]
name = "pseudonymise"

[[methods]]
name = "similar-length"
k = 3

[[methods]]
name = "groups"
k = 2

[[methods]]
name = "groups"
k = 3

[[methods]]
name = "groups"
k = 7

[[adversaries]]
name = "chance"

[[adversaries]]
name = "unique-rows"

[[adversaries]]
name = "containment"

[[adversaries]]
name = "maximum-knowledge"
"""


def draw_demo_history(seed: Seed) -> Dataset:
    """Return a small synthetic purchase history."""
    return SyntheticHistory(customers=CUSTOMERS).draw(rng=seed.child("demo history").rng())


def prepare_demo(folder: Path, seed: Seed) -> Entry:
    """Write the demonstration's recipe and data into a folder, and open them.

    Raises:
        InputError: they cannot be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            folder,
            Said("cannot be made a folder: {strerror}", strerror=say_failure(error, Said("unknown reason"))),
        ) from error
    data = write_original(draw_demo_history(seed), read_history_terms(RULES))
    write_whole({folder / ORIGINAL: data, folder / RECIPE: RECIPE_TEXT.format(seed=seed.value).encode()})
    return ReadRecipe.read(folder / RECIPE).open()

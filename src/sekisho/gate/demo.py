"""The journey that anyone can watch at once: a synthetic history, five ways to protect it, four attacks on each."""

from __future__ import annotations

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.containment import Containment
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.attack.history.unique_rows import UniqueRows
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

CUSTOMERS = 200


def draw_demo_history(seed: Seed) -> Dataset:
    """Return a small synthetic purchase history."""
    return SyntheticHistory(customers=CUSTOMERS).draw(rng=seed.child("demo history").rng())


def make_demo_recipe() -> HistoryRecipe:
    """Return what the demonstration does with it."""
    return HistoryRecipe(
        rules=read_history_rules("pwscup2018"),
        methods={
            "pseudonymise": Pseudonymise(),
            "similar-length k=3": SimilarLength(k=3),
            "groups k=2": Groups(k=2),
            "groups k=3": Groups(k=3),
            "groups k=7": Groups(k=7),
        },
        adversaries={
            "chance": Chance(),
            "unique-rows": UniqueRows(),
            "containment": Containment(),
            "maximum-knowledge": MaximumKnowledge(),
        },
        bound=Bound.EXACT,
    )

"""Sekisho, the checkpoint that personal data pass before they leave.

The names below are the public ones, for histories, records and tables; each is imported when it is first used, so that
``import sekisho`` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sekisho.attack.guess import Guess
    from sekisho.attack.history.chance import Chance
    from sekisho.attack.history.containment import Containment
    from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
    from sekisho.attack.history.referee import judge
    from sekisho.attack.history.unique_rows import UniqueRows
    from sekisho.attack.records.cell_adversary import NearestCell, Prosecutor, SingleMatch
    from sekisho.attack.records.density import DensityMembership, SwapBack
    from sekisho.attack.records.posterior import Posterior
    from sekisho.attack.records.row_scores import NearestRows
    from sekisho.contest.folder.evaluation import evaluate_folder
    from sekisho.contest.history.classify import classify_release
    from sekisho.contest.rulebook import read_history_rules, read_record_rules, read_rulebook
    from sekisho.data.files.layout import open_original
    from sekisho.data.files.published_frame import published_frame
    from sekisho.data.files.schema_files.reading import read_own
    from sekisho.data.files.schema_files.schema_file import SchemaFile
    from sekisho.data.files.schema_files.schema_options import schema_from_options
    from sekisho.data.frame.convert import to_arrow, to_pandas
    from sekisho.data.frame.dataset import Column, Dataset, Kind, Meaning, Role, Schema
    from sekisho.data.frame.release import MaskedTable, Release, exact_table
    from sekisho.data.history.files import read_original, read_published, read_release
    from sekisho.data.records.space import RecordSpace
    from sekisho.data.review import ReleaseReview, review_release
    from sekisho.data.shape import Abilities, Reads, Shape
    from sekisho.data.synthetic.health import health_records
    from sekisho.data.synthetic.histories import SyntheticHistory
    from sekisho.data.trees.hierarchy import Tree
    from sekisho.data.trees.tree_files import read_tree
    from sekisho.gate.certificate.checking import verify_certificate
    from sekisho.gate.certificate.signing import PrivateKey, PublicKey
    from sekisho.gate.fit import fit
    from sekisho.gate.history.recipe import HistoryRecipe
    from sekisho.gate.history.stage import HistoryStage
    from sekisho.gate.outcome import Attempt, Candidate, Outcome, Reason, Verdict, outcome_frame
    from sekisho.gate.records.comparison import Comparison
    from sekisho.gate.records.recipe import RecordsRecipe
    from sekisho.gate.records.stage import RecordsStage
    from sekisho.gate.records.test_sets import RiskTest
    from sekisho.gate.tables.search import TableSearch
    from sekisho.gate.tables.stage import TableStage
    from sekisho.journey.advice import Advice
    from sekisho.journey.candidates import run
    from sekisho.journey.frame_answers import FrameComparison, FrameRisk, ProtectedFrame
    from sekisho.journey.frames import advise, compare, protect, risk
    from sekisho.journey.result import GateResult
    from sekisho.journey.run import pass_gate
    from sekisho.protect.history.groups import Groups
    from sekisho.protect.history.pseudonymise import Pseudonymise
    from sekisho.protect.history.similar_length import SimilarLength
    from sekisho.protect.records.borrow import Borrow
    from sekisho.protect.records.coding.code import Code
    from sekisho.protect.records.delete import DeleteExtremes, DeleteFew, DeleteRandom, DeleteSmall
    from sekisho.protect.records.lattice_recoding import Lattice
    from sekisho.protect.records.microaggregate import Microaggregate
    from sekisho.protect.records.noise import Noise
    from sekisho.protect.records.partition import Partition
    from sekisho.protect.records.pram import Pram
    from sekisho.protect.records.rank_swap import RankSwap
    from sekisho.protect.records.record_swap import RecordSwap
    from sekisho.protect.records.sample import Sample
    from sekisho.protect.records.suppress import Suppress
    from sekisho.protect.records.swap import Swap
    from sekisho.provenance import Provenance
    from sekisho.safety.epsilon import EpsilonFinding, bound_epsilon, measure_pram, measure_sample
    from sekisho.safety.records.anonymity import KAnonymity
    from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
    from sekisho.safety.records.closeness import TCloseness
    from sekisho.safety.records.diversity import LDiversity
    from sekisho.safety.rejection import Bound, RejectionRule
    from sekisho.seeds import Seed
    from sekisho.tables.audit.intervals import audit
    from sekisho.tables.model.geometry import Dimension, from_inner
    from sekisho.tables.model.table import Table
    from sekisho.tables.model.tabulate import Tabulation
    from sekisho.tables.rules.concentration import Dominance, PercentRule, PriorPosterior
    from sekisho.tables.rules.primary import MinimumFrequency, RequestRule, UnsafeZeros, primaries
    from sekisho.tables.suppress.optimiser import Optimiser
    from sekisho.utility.cell_error import CellError
    from sekisho.utility.records.distributions import Associations, Marginals, PairTables
    from sekisho.utility.records.information_loss import CertaintyPenalty, Discernibility, EntropyLoss
    from sekisho.utility.records.transfer import ClassifierTransfer, RegressionTransfer
    from sekisho.utility.schema_terms import own_rules
    from sekisho.utility.score import Score

__all__ = [
    "Abilities",
    "Advice",
    "Associations",
    "Attempt",
    "Borrow",
    "Bound",
    "Candidate",
    "CellError",
    "CertaintyPenalty",
    "Chance",
    "ClassifierTransfer",
    "Code",
    "Column",
    "Comparison",
    "Containment",
    "Dataset",
    "DeleteExtremes",
    "DeleteFew",
    "DeleteRandom",
    "DeleteSmall",
    "DensityMembership",
    "Dimension",
    "Discernibility",
    "Dominance",
    "EntropyLoss",
    "EpsilonFinding",
    "FrameComparison",
    "FrameRisk",
    "GateResult",
    "Groups",
    "Guess",
    "HistoryRecipe",
    "HistoryStage",
    "KAnonymity",
    "KeyedRecords",
    "Kind",
    "LDiversity",
    "Lattice",
    "Marginals",
    "MaskedTable",
    "MaximumKnowledge",
    "Meaning",
    "Microaggregate",
    "MinimumFrequency",
    "NearestCell",
    "NearestRows",
    "Noise",
    "Optimiser",
    "Outcome",
    "PairTables",
    "Partition",
    "PercentRule",
    "Posterior",
    "Pram",
    "PriorPosterior",
    "PrivateKey",
    "Prosecutor",
    "ProtectedFrame",
    "Provenance",
    "Pseudonymise",
    "PublicKey",
    "RankSwap",
    "Reads",
    "Reason",
    "RecordSpace",
    "RecordSwap",
    "RecordsRecipe",
    "RecordsStage",
    "RegressionTransfer",
    "RejectionRule",
    "Release",
    "ReleaseReview",
    "RequestRule",
    "RiskQuestion",
    "RiskTest",
    "Role",
    "Sample",
    "Schema",
    "SchemaFile",
    "Score",
    "Seed",
    "Shape",
    "SimilarLength",
    "SingleMatch",
    "Suppress",
    "Swap",
    "SwapBack",
    "SyntheticHistory",
    "TCloseness",
    "Table",
    "TableSearch",
    "TableStage",
    "Tabulation",
    "Tree",
    "UniqueRows",
    "UnsafeZeros",
    "Verdict",
    "advise",
    "audit",
    "bound_epsilon",
    "classify_release",
    "compare",
    "evaluate_folder",
    "exact_table",
    "fit",
    "from_inner",
    "health_records",
    "judge",
    "measure_pram",
    "measure_sample",
    "open_original",
    "outcome_frame",
    "own_rules",
    "pass_gate",
    "primaries",
    "protect",
    "published_frame",
    "read_history_rules",
    "read_original",
    "read_own",
    "read_published",
    "read_record_rules",
    "read_release",
    "read_rulebook",
    "read_tree",
    "review_release",
    "risk",
    "run",
    "schema_from_options",
    "to_arrow",
    "to_pandas",
    "verify_certificate",
]

_HOMES = {
    "attack.guess": ("Guess",),
    "attack.history.chance": ("Chance",),
    "attack.history.containment": ("Containment",),
    "attack.history.maximum_knowledge": ("MaximumKnowledge",),
    "attack.history.unique_rows": ("UniqueRows",),
    "attack.records.density": ("DensityMembership", "SwapBack"),
    "attack.records.row_scores": ("NearestRows",),
    "attack.records.cell_adversary": ("NearestCell", "Prosecutor", "SingleMatch"),
    "attack.records.posterior": ("Posterior",),
    "contest.folder.evaluation": ("evaluate_folder",),
    "contest.history.classify": ("classify_release",),
    "data.history.files": ("read_original", "read_published", "read_release"),
    "attack.history.referee": ("judge",),
    "data.files.layout": ("open_original",),
    "utility.schema_terms": ("own_rules",),
    "contest.rulebook": ("read_history_rules", "read_record_rules", "read_rulebook"),
    "data.files.schema_files.reading": ("read_own",),
    "data.files.schema_files.schema_file": ("SchemaFile",),
    "data.files.schema_files.schema_options": ("schema_from_options",),
    "data.files.published_frame": ("published_frame",),
    "data.frame.convert": ("to_arrow", "to_pandas"),
    "data.frame.dataset": ("Column", "Dataset", "Kind", "Meaning", "Role", "Schema"),
    "data.frame.release": ("MaskedTable", "Release", "exact_table"),
    "data.shape": ("Abilities", "Reads", "Shape"),
    "provenance": ("Provenance",),
    "utility.score": ("Score",),
    "data.records.space": ("RecordSpace",),
    "data.review": ("ReleaseReview", "review_release"),
    "data.synthetic.health": ("health_records",),
    "data.synthetic.histories": ("SyntheticHistory",),
    "data.trees.hierarchy": ("Tree",),
    "data.trees.tree_files": ("read_tree",),
    "gate.certificate.checking": ("verify_certificate",),
    "gate.certificate.signing": ("PrivateKey", "PublicKey"),
    "gate.fit": ("fit",),
    "gate.history.recipe": ("HistoryRecipe",),
    "gate.history.stage": ("HistoryStage",),
    "journey.advice": ("Advice",),
    "journey.candidates": ("run",),
    "gate.outcome": ("Attempt", "Candidate", "Outcome", "Reason", "Verdict", "outcome_frame"),
    "gate.records.comparison": ("Comparison",),
    "gate.records.recipe": ("RecordsRecipe",),
    "gate.records.test_sets": ("RiskTest",),
    "gate.records.stage": ("RecordsStage",),
    "gate.tables.search": ("TableSearch",),
    "gate.tables.stage": ("TableStage",),
    "protect.history.groups": ("Groups",),
    "protect.history.pseudonymise": ("Pseudonymise",),
    "protect.history.similar_length": ("SimilarLength",),
    "protect.records.microaggregate": ("Microaggregate",),
    "protect.records.borrow": ("Borrow",),
    "protect.records.coding.code": ("Code",),
    "protect.records.delete": ("DeleteExtremes", "DeleteFew", "DeleteRandom", "DeleteSmall"),
    "protect.records.lattice_recoding": ("Lattice",),
    "protect.records.noise": ("Noise",),
    "protect.records.partition": ("Partition",),
    "protect.records.pram": ("Pram",),
    "protect.records.sample": ("Sample",),
    "protect.records.suppress": ("Suppress",),
    "protect.records.swap": ("Swap",),
    "protect.records.rank_swap": ("RankSwap",),
    "protect.records.record_swap": ("RecordSwap",),
    "journey.frame_answers": ("FrameComparison", "FrameRisk", "ProtectedFrame"),
    "journey.frames": ("advise", "compare", "protect", "risk"),
    "journey.result": ("GateResult",),
    "journey.run": ("pass_gate",),
    "safety.epsilon": ("EpsilonFinding", "bound_epsilon", "measure_pram", "measure_sample"),
    "safety.records.anonymity": ("KAnonymity",),
    "safety.records.assessment": ("KeyedRecords", "RiskQuestion"),
    "safety.records.closeness": ("TCloseness",),
    "safety.records.diversity": ("LDiversity",),
    "safety.rejection": ("Bound", "RejectionRule"),
    "seeds": ("Seed",),
    "tables.audit.intervals": ("audit",),
    "tables.model.geometry": ("Dimension", "from_inner"),
    "tables.model.table": ("Table",),
    "tables.model.tabulate": ("Tabulation",),
    "tables.rules.concentration": ("Dominance", "PercentRule", "PriorPosterior"),
    "tables.rules.primary": ("MinimumFrequency", "RequestRule", "UnsafeZeros", "primaries"),
    "tables.suppress.optimiser": ("Optimiser",),
    "utility.cell_error": ("CellError",),
    "utility.records.information_loss": ("CertaintyPenalty", "Discernibility", "EntropyLoss"),
    "utility.records.distributions": ("Associations", "Marginals", "PairTables"),
    "utility.records.transfer": ("ClassifierTransfer", "RegressionTransfer"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return version("sekisho")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"sekisho.{home}"), name)
    message = f"module 'sekisho' has no attribute {name!r}"
    raise AttributeError(message)


class _AskedRoom(ModuleType):
    """The room ``sekisho.protect``, which is also what one asks for: ``sekisho.protect(frame, …)``."""

    def __call__(self, *args: object, **parameters: object) -> object:
        return import_module("sekisho.journey.frames").protect(*args, **parameters)


class _Package(ModuleType):
    """The package: a room that is imported stands under its name, and may still be asked for."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "protect" and isinstance(value, ModuleType):
            value.__class__ = _AskedRoom


sys.modules[__name__].__class__ = _Package

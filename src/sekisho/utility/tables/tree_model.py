"""A model of boosted trees, read as data and walked with arrays: nothing of it is executed.

The file is XGBoost's JSON. It is parsed with caps on bytes, features, trees, nodes and levels, so that no file takes a
scorer's time or memory for itself, and everything that is wrong is told at once: attributes ``feature_names`` (a list
of distinct names, written as JSON), ``target`` and ``xgboost_version``, at the top or under ``learner``; as many
features as names; the objective ``binary:logistic``; trees with numeric splits whose nodes form a tree. A row goes left
where its feature is below the node's threshold (single precision, as XGBoost compares), a missing one where the node
says so; the answer is yes if the chance s(logit(base score) + leaves) is at least the threshold.

    accuracy = rows of the hidden table whose target is predicted rightly / rows

Features are those of the table (:func:`code_features`), constant ones left out; a feature that the table lacks is 0.

Source: PWS Cup 2025, programs validate_model_json and xgbt_pred; XGBoost, introduction to model IO (JSON schema).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables.number_columns import code_features, drop_constant, parse_numbers
from sekisho.words import Said

Singles = NDArray[np.float32]
MOST_BYTES, MOST_TREES, MOST_NODES, MOST_STEPS = 1 << 26, 20_000, 4_000_000, 200_000
MOST_FEATURES, MOST_LEVELS = 1000, 256
OBJECTIVE, BOOSTERS = "binary:logistic", ("gbtree",)
ATTRIBUTES = ("feature_names", "target", "xgboost_version")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionTree:
    """A tree: of each node its children (-1: a leaf), its feature, its threshold or a leaf's value."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Singles
    default_left: NDArray[np.bool_]

    def walk(self, rows: Singles) -> Singles:
        """Return the value of the leaf in which each row ends."""
        node = np.zeros(len(rows), dtype=np.int64)
        going = np.flatnonzero(self.left[node] >= 0)
        while len(going):
            here = node[going]
            values = rows[going, self.feature[here]]
            left = np.where(np.isnan(values), self.default_left[here], values < self.threshold[here])
            node[going] = np.where(left, self.left[here], self.right[here])
            going = going[self.left[node[going]] >= 0]
        return self.threshold[node]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeModel:
    """A checked model."""

    features: tuple[str, ...]
    target: str
    margin: float
    trees: tuple[DecisionTree, ...]

    def predict_margins(self, rows: Singles) -> Singles:
        """Return the log-odds of each row."""
        total = np.zeros(len(rows), dtype=np.float32)
        for tree in self.trees:
            total += tree.walk(rows)
        return total + np.float32(self.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ModelAccuracy:
    """How often a model is right about rows that nobody was shown.

    Attributes:
        target: what it must predict.
        threshold: from which chance on the answer is yes.
    """

    target: str
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise ParameterError("threshold", Said("lie strictly between 0 and 1"), self.threshold)

    def judge(self, model: TreeModel, hidden: pl.DataFrame) -> Score:
        """Return the accuracy; the detail holds how many rows are right.

        Raises:
            InfeasibleError: the hidden rows' target is not 0 or 1.
        """
        truth = parse_numbers(hidden[self.target])
        if not len(truth) or not np.isin(truth, (0, 1)).all():
            raise InfeasibleError(Said("the hidden rows have a {target} that is not 0 or 1", target=self.target))
        features = drop_constant(code_features(hidden.drop(self.target), share=0))
        absent = np.zeros(len(truth))
        rows = np.stack([features.get(name, absent) for name in model.features], axis=1).astype(np.float32)
        bound = np.log(self.threshold / (1 - self.threshold))
        right = int(((model.predict_margins(rows) >= np.float32(bound)) == (truth == 1)).sum())
        return Score(value=right / len(truth), direction=Direction.MORE, detail={"correct": right, "rows": len(truth)})


def read_tree_model(content: bytes, *, source: str, target: str) -> TreeModel:
    """Return a model from the bytes of its file.

    Args:
        content: JSON as XGBoost writes it.
        source: what the file is called in messages.
        target: what the model must predict.

    Raises:
        FaultsError: it breaks the rules; all faults at once.
    """
    parsed, faults = _parse(content), _Faults(source)
    if parsed is None:
        faults.note("json", Said("the file is no JSON object of at most {most:,} bytes", most=MOST_BYTES))
        faults.check()
    document = cast("Mapping[str, object]", parsed)
    learner = _enter(document, "learner")
    given = _enter(document, "attributes") or _enter(learner, "attributes")
    names = _check_attributes(given, learner, target, faults)
    parameters = _enter(learner, "learner_model_param")
    _check_learner(learner, parameters, names, faults)
    base = _read_base(parameters.get("base_score"), faults)
    trees = _read_trees(learner, len(names), faults)
    faults.check()
    return TreeModel(features=names, target=target, margin=float(np.log(base / (1 - base))), trees=trees)


class _Faults:
    """What is wrong with a model so far."""

    def __init__(self, source: str) -> None:
        self.source, self.found = source, list[Fault]()

    def note(self, rule: str, message: Said, value: object = "") -> None:
        self.found.append(Fault(row=0, column="", rule=rule, value=str(value)[:60], message=message))

    def check(self) -> None:
        if self.found:
            raise FaultsError(self.source, self.found)


def _parse(content: bytes) -> object:
    if len(content) > MOST_BYTES:
        return None
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _enter(document: Mapping[str, object], name: str) -> Mapping[str, object]:
    inner = document.get(name)
    return cast("Mapping[str, object]", inner) if isinstance(inner, dict) else {}


def _check_attributes(
    given: Mapping[str, object], learner: Mapping[str, object], target: str, faults: _Faults
) -> tuple[str, ...]:
    for name in ATTRIBUTES:
        if name not in given:
            faults.note("attributes", Said("the attribute {name} is missing", name=name))
    if "target" in given and given["target"] != target:
        faults.note("target", Said("the target must be {target}", target=target), given["target"])
    names = _read_names(given.get("feature_names"))
    if "feature_names" in given and (not names or len(set(names)) < len(names)):
        faults.note("features", Said("feature_names must be a list of distinct names, written as JSON"))
    if len(names) > MOST_FEATURES:
        faults.note("features", Said("a model has at most {most:,} features", most=MOST_FEATURES), len(names))
    own = learner.get("feature_names")
    if isinstance(own, list) and own and names and tuple(cast("list[object]", own)) != names:
        faults.note("features", Said("the learner's feature_names are not those of the attributes"))
    return names


def _read_names(given: object) -> tuple[str, ...]:
    if not isinstance(given, str):
        return ()
    try:
        names = json.loads(given)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(names, list) or not all(isinstance(name, str) for name in cast("list[object]", names)):
        return ()
    return tuple(cast("list[str]", names))


def _check_learner(
    learner: Mapping[str, object], parameters: Mapping[str, object], names: tuple[str, ...], faults: _Faults
) -> None:
    if names and str(parameters.get("num_feature")) != str(len(names)):
        message = Said("num_feature must be {count}, as many as there are names", count=len(names))
        faults.note("features", message, parameters.get("num_feature"))
    objective = _enter(learner, "objective").get("name")
    if objective != OBJECTIVE:
        faults.note("objective", Said("the objective must be {name}", name=OBJECTIVE), objective)
    booster = _enter(learner, "gradient_booster").get("name")
    if booster not in BOOSTERS:
        faults.note("booster", Said("the booster must be {name}", name=", ".join(BOOSTERS)), booster)


def _read_base(given: object, faults: _Faults) -> float:
    try:
        base = float(str(given).strip("[]"))
    except ValueError:
        base = 0.0
    if not 0 < base < 1:
        faults.note("base_score", Said("base_score must lie strictly between 0 and 1"), given)
        return 0.5
    return base


def _read_trees(learner: Mapping[str, object], features: int, faults: _Faults) -> tuple[DecisionTree, ...]:
    model = _enter(_enter(learner, "gradient_booster"), "model")
    given = model.get("trees")
    listed = cast("list[object]", given) if isinstance(given, list) else []
    if not 0 < len(listed) <= MOST_TREES:
        faults.note("trees", Said("a model has from 1 to {most:,} trees", most=MOST_TREES), len(listed))
        return ()
    trees: list[DecisionTree] = []
    nodes, steps = 0, 0
    for number, each in enumerate(listed):
        tree = _read_tree(cast("Mapping[str, object]", each), features) if isinstance(each, dict) else None
        if tree is None:
            faults.note("tree", Said("tree {number} is not as XGBoost writes one of numeric splits", number=number))
            continue
        levels = _count_levels(tree)
        if levels > MOST_LEVELS:
            faults.note("levels", Said("tree {number} has more than {most:,} levels", number=number, most=MOST_LEVELS))
        steps += levels
        nodes += len(tree.left)
        trees.append(tree)
    if nodes > MOST_NODES:
        faults.note("nodes", Said("a model has at most {most:,} nodes", most=MOST_NODES), nodes)
    if steps > MOST_STEPS:
        faults.note("steps", Said("the trees of a model have at most {most:,} levels in all", most=MOST_STEPS), steps)
    return tuple(trees)


def _read_tree(given: Mapping[str, object], features: int) -> DecisionTree | None:
    names = ("left_children", "right_children", "split_indices", "split_conditions", "default_left")
    columns = [_read_column(given.get(name)) for name in names]
    kinds = _read_column(given.get("split_type", [0]))
    if kinds is None or kinds.any() or any(column is None for column in columns):
        return None
    left, right, feature, threshold, default = cast("list[NDArray[np.float64]]", columns)
    if not len(left) or len({len(column) for column in (left, right, feature, threshold, default)}) > 1:
        return None
    if not _is_tree(left, right) or not ((feature >= 0) & (feature < max(features, 1)))[left >= 0].all():
        return None
    return DecisionTree(
        left=left.astype(np.int64),
        right=right.astype(np.int64),
        feature=np.where(left >= 0, feature, 0).astype(np.int64),
        threshold=threshold.astype(np.float32),
        default_left=default > 0,
    )


def _count_levels(tree: DecisionTree) -> int:
    """Return after how many steps every row is at a leaf, whatever it holds; one more than there may be if later."""
    nodes = np.zeros(1, dtype=np.int64)
    for steps in range(MOST_LEVELS + 1):
        nodes = nodes[tree.left[nodes] >= 0]
        if not len(nodes):
            return steps
        nodes = np.concatenate([tree.left[nodes], tree.right[nodes]])
    return MOST_LEVELS + 1


def _read_column(given: object) -> NDArray[np.float64] | None:
    if not isinstance(given, list) or len(cast("list[object]", given)) > MOST_NODES:
        return None
    listed = cast("Sequence[object]", given)
    if not all(isinstance(each, (int, float)) for each in listed):
        return None
    try:
        values = np.array(listed, dtype=np.float64)
    except OverflowError:
        return None
    return values if np.isfinite(values).all() else None


def _is_tree(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    """Tell whether the nodes below the first form a tree: every inner node has two children, nobody two parents."""
    inner = left >= 0
    if ((right >= 0) != inner).any() or (left < -1).any():
        return False
    children = np.concatenate([left[inner], right[inner]])
    whole = np.array_equal(children, np.floor(children)) and bool((children < len(left)).all())
    return whole and not (children == 0).any() and len(np.unique(children)) == len(children)

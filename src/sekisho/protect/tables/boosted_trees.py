"""Boosted trees for a yes or no, written as XGBoost's JSON: a model that can be released beside a table.

Features are split at a few dozen quantiles. Each tree is grown level by level on the gradient and the curvature of the
logistic loss, a split gaining

    G_l^2/(H_l + a) + G_r^2/(H_r + a) - (G_l + G_r)^2/(H_l + H_r + a)

and a leaf worth -rate G/(H + a). Trained on a released table it tells nothing beyond that table.

Source: Friedman, "Greedy function approximation", Annals of Statistics 29 (2001); Chen, Guestrin, "XGBoost", KDD 2016,
equations 6 and 7.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class BoostedTrees:
    """How a model is trained."""

    trees: int = 40
    depth: int = 3
    rate: float = 0.2
    penalty: float = 1.0
    bins: int = 32

    def __post_init__(self) -> None:
        for name in ("trees", "depth", "bins"):
            if getattr(self, name) < 1:
                raise ParameterError(name, Said("be at least 1"), getattr(self, name))

    def train(self, features: dict[str, Floats], outcome: Floats, *, target: str) -> bytes:
        """Return the model as JSON.

        Args:
            features: columns of numbers by name.
            outcome: 0 or 1 of each row.
            target: what it is called.
        """
        cuts = [np.unique(np.quantile(values, np.linspace(0, 1, self.bins + 1)[1:-1])) for values in features.values()]
        codes = np.stack(
            [np.searchsorted(cut, values, side="right") for cut, values in zip(cuts, features.values(), strict=True)],
            axis=1,
        )
        share = float(np.clip(outcome.mean(), 1e-6, 1 - 1e-6))
        margin = np.full(len(outcome), np.log(share / (1 - share)))
        trees: list[dict[str, object]] = []
        for _ in range(self.trees):
            chance = np.asarray(expit(margin))
            tree, gained = self._grow(codes, cuts, chance - outcome, chance * (1 - chance))
            margin += gained
            trees.append(tree)
        return _write_model(tuple(features), target, share, trees)

    def _grow(self, codes: Ints, cuts: list[Floats], slope: Floats, bend: Floats) -> tuple[dict[str, object], Floats]:
        node = np.zeros(len(codes), dtype=np.int64)
        left, right, feature, value = [-1], [-1], [0], [0.0]
        level = [0]
        for _ in range(self.depth):
            following: list[int] = []
            for each in level:
                rows = np.flatnonzero(node == each)
                column, cut = self._find_split(codes[rows], slope[rows], bend[rows])
                if column < 0:
                    continue
                left[each], right[each] = len(left), len(left) + 1
                feature[each], value[each] = column, float(cuts[column][cut])
                node[rows] = np.where(codes[rows, column] <= cut, left[each], right[each])
                following += [left[each], right[each]]
                for listed, empty in ((left, -1), (right, -1), (feature, 0)):
                    listed.extend((empty, empty))
                value.extend((0.0, 0.0))
            level = following
        slopes, bends = (np.bincount(node, weights=each, minlength=len(left)) for each in (slope, bend))
        worth = -self.rate * slopes / (bends + self.penalty)
        value = [float(worth[place]) if left[place] < 0 else value[place] for place in range(len(left))]
        tree: dict[str, object] = {
            "left_children": left,
            "right_children": right,
            "split_indices": feature,
            "split_conditions": value,
            "split_type": [0] * len(left),
            "default_left": [0] * len(left),
        }
        return tree, worth[node]

    def _find_split(self, codes: Ints, slope: Floats, bend: Floats) -> tuple[int, int]:
        """Return the column and the last code that goes left of the split that gains most; column -1 if none does."""
        best, column, cut = 1e-6, -1, 0
        for place in range(codes.shape[1]):
            below, weight = (
                np.cumsum(np.bincount(codes[:, place], weights=each, minlength=self.bins))[:-1]
                for each in (slope, bend)
            )
            above, rest = slope.sum() - below, bend.sum() - weight
            whole = slope.sum() ** 2 / (bend.sum() + self.penalty)
            gain = below**2 / (weight + self.penalty) + above**2 / (rest + self.penalty) - whole
            gain[(weight < 1) | (rest < 1)] = 0.0
            at = int(gain.argmax())
            if gain[at] > best:
                best, column, cut = float(gain[at]), place, at
        return column, cut


def _write_model(names: tuple[str, ...], target: str, share: float, trees: list[dict[str, object]]) -> bytes:
    learner = {
        "attributes": {"feature_names": json.dumps(names), "target": target, "xgboost_version": "3.0.0"},
        "feature_names": list(names),
        "learner_model_param": {"base_score": repr(share), "num_class": "0", "num_feature": str(len(names))},
        "objective": {"name": "binary:logistic"},
        "gradient_booster": {"name": "gbtree", "model": {"trees": trees}},
    }
    return json.dumps({"learner": learner, "version": [3, 0, 0]}).encode()

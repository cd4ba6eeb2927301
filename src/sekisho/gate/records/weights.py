"""Records that stand for several people each: the risk of each one under the model of Benedetti and Franconi."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.frame.release import Release, exact_table
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import ColumnCodes, add_weights, count_classes, number_classes
from sekisho.safety.records.published import SHOWN
from sekisho.safety.records.reidentification import check_weights, compute_individual_risk
from sekisho.words import Said

INDIVIDUAL = "individual risk"
WEIGHTS = Said(
    "the weights say how many people of the population a record stands for, and records were drawn independently"
)


def read_weights(data: Dataset, name: str) -> NDArray[np.float64]:
    """Return the weights of records.

    Raises:
        ParameterError: the column holds no numbers.
        FaultsError: a weight is not above 0; all of them at once.
    """
    column = data.schema[name]
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        raise ParameterError("weights", Said("be a column of numbers"), name)
    weights = data.grid(name) / 10**column.decimals
    texts = publish_values(exact_table(data)).frame[name].cast(pl.String).to_list()
    check_weights(weights, texts, np.arange(len(data)), name=name, source="weights")
    return weights


def find_individual_risk(
    release: Release, keys: tuple[str, ...], weights: NDArray[np.float64], *, allowed: float
) -> Finding:
    """Return the highest risk of a released record, beside what is allowed.

    Args:
        release: row i of it is what became of row i of the original.
        keys: what the adversary knows.
        weights: of the original's records.
        allowed: the highest risk that a record may have.

    Raises:
        InfeasibleError: nothing is published.
    """
    frame = publish_values(release).frame
    if not frame.height:
        raise InfeasibleError(Said("nothing is published: there is no record at risk"))
    classes = number_classes([ColumnCodes.of(frame[name].cast(pl.String)) for name in keys], frame.height)
    rows = np.flatnonzero(~release.deleted)
    risk = compute_individual_risk(count_classes(classes)[classes], add_weights(classes, weights[rows])[classes])
    highest, expected = float(risk.max()), float(risk.sum())
    return Finding(
        kept=highest <= allowed,
        worst=highest,
        wanted=allowed,
        where=tuple(rows[np.argsort(-risk, kind="stable")[:SHOWN]].tolist()),
        words=Said(
            "a record has a risk of {highest:.4g} at worst, {expected:.4g} are expected to be matched rightly; "
            "{allowed:g} is allowed",
            highest=highest,
            expected=expected,
            allowed=allowed,
        ),
        assumes=WEIGHTS,
    )

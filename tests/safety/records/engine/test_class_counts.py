"""Individual risks that are too many to keep one by one keep their sums, and nearly their quantiles."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from tests.data.engines.engines import CHOICES, RECORDS

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.safety.records.engine import class_counts
from sekisho.safety.records.engine.class_counts import assess_individuals, count_class_sizes
from sekisho.safety.records.engine.records import WEIGHT, EngineRecords
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.record_risk import IndividualRisk

LIMIT, SHARES, BINS = 0.2, (0.1, 0.5, 0.9, 0.99), 64


@pytest.mark.parametrize("choice", CHOICES)
def test_bins_keep_sums_exactly(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "some.parquet"
    keys = [place // 2 if place % 3 else -place for place in range(4000)]
    weights = [1.0 + (place * 7919 % 4001) / 37 for place in range(4000)]
    pl.DataFrame({"key": keys, "w": weights}).with_columns(pl.col("w").alias(WEIGHT)).write_parquet(path)
    with open_scan(path, RECORDS, choice) as scan:
        records = EngineRecords(scan=scan, choice=KeyChoice(keys=("key",), weights="w"))
        counts = count_class_sizes(records, {})
        exact = assess_individuals(records, counts, LIMIT)
        with patch.object(class_counts, "BINS", BINS):
            binned = assess_individuals(records, counts, LIMIT)
    assert exact is not None
    assert binned is not None
    assert len(binned.by_record) <= 4 * BINS < len(exact.by_record)
    assert (binned.expected, binned.highest) == pytest.approx((exact.expected, exact.highest))
    assert binned.count_above(LIMIT) == exact.count_above(LIMIT)
    assert binned.compute_quantiles(SHARES) == pytest.approx(exact.compute_quantiles(SHARES), abs=1 / BINS)


def test_quantiles_of_counted_risks_are_those_of_all_records() -> None:
    # 0.1 three times, 0.4 once: the middle lies at place 1.5, between two of 0.1; nine tenths at 2.7, 0.7 of the way up
    individual = IndividualRisk(by_record=np.array([0.4, 0.1]), counts=np.array([1, 3]))
    assert individual.compute_quantiles((0.5, 0.9, 1.0)) == pytest.approx([0.1, 0.31, 0.4])
    every = np.array([0.1, 0.1, 0.4, 0.1])
    alone = IndividualRisk(by_record=every)
    shares = (0.0, 0.3, 0.5, 0.9, 1.0)
    assert alone.compute_quantiles(shares) == pytest.approx(np.quantile(every, shares).tolist())

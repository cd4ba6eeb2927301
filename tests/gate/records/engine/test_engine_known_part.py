"""The attack on a sample beyond memory makes the claims that it makes in memory, and is right as often."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.data.engines.engines import CHOICES
from tests.gate.records.engine.made_up_people import ask_texts

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.records.microdata import read_microdata
from sekisho.gate.records.candidate import SampledRows, attack_with_known_part
from sekisho.gate.records.engine.known_part import EngineSampled
from sekisho.protect.records.engine.release import EngineSample
from sekisho.protect.records.sample import Sample
from sekisho.seeds import Seed


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
@pytest.mark.parametrize("known", [1, 60, 500])
def test_claims_are_those_of_memory(tmp_path: Path, choice: EngineChoice, known: int) -> None:
    rng = np.random.Generator(np.random.PCG64DXSM(4))
    path = tmp_path / "people.parquet"
    pl.DataFrame({name: rng.integers(0, 12, 300) for name in ("x", "y")}).write_parquet(path)
    data, method = read_microdata(path).data, Sample(size=100, known=known)
    drawn = method.apply(data, rng=Seed(1).child("sample").rng()).drawn
    small = attack_with_known_part(SampledRows(data=data, drawn=drawn), known, seed=Seed(7), draws=3)
    with EngineSample(method=method).release(ask_texts(path, choice), Seed(1)) as release:
        large = attack_with_known_part(EngineSampled(release=release), known, seed=Seed(7), draws=3)
    assert large == small
    assert known == 1 or small.rate.hits > 3

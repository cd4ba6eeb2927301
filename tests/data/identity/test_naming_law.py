"""Whatever a file is like, a column that names people is known by its header or by its content, and never leaves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.identity.made_up_files import KINDS, make_file
from tests.laws import try_examples

from sekisho.cli import status_of
from sekisho.gate.profiling.look import look_at_file


@try_examples(60)
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(25, 300),
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4),
)
@example(seed=1, rows=25, kinds=["padded", "member"])  # codes of people that several members share are no wares
def test_init_proposes_that_nothing_that_names_people_leaves(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rows: int, kinds: list[str]
) -> None:
    file = make_file(np.random.default_rng(seed), rows=rows, kinds=kinds)
    path = tmp_path_factory.mktemp("law") / "own.csv"
    path.write_text(file.text)
    look = look_at_file(path)
    leaves = {guess.look.name for guess in look.roles if guess.role is not None and guess.role.leaves}
    assert not leaves & set(file.secrets)
    assert leaves == {"age", "sex", "town", "illness"}  # and nothing else is lost


@pytest.mark.parametrize("seed", range(2))
def test_no_name_stands_below_public(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    file = make_file(rng, rows=120, kinds=[str(kind) for kind in rng.choice(sorted(KINDS), 4)])
    (tmp_path / "own.csv").write_text(file.text)
    assert status_of(["init", str(tmp_path / "own.csv"), "--out", str(tmp_path / "r.toml")]) == 0
    assert status_of(["gate", str(tmp_path / "r.toml"), "--out", str(tmp_path / "out"), "--seed", "1"]) in (0, 1, 3)
    published = "".join(
        path.read_text(errors="replace") for path in (tmp_path / "out" / "public").rglob("*") if path.is_file()
    )
    assert not [secret for secrets in file.secrets.values() for secret in secrets if secret in published]

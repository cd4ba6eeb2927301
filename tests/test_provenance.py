"""A result tells enough to be made again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from sekisho.provenance import CHUNK, Provenance, digest_file, list_parameters
from sekisho.safety.rejection import Bound, RejectionRule


@dataclass(frozen=True)
class Nested:
    rule: RejectionRule
    names: tuple[str, ...]
    limits: dict[str, Fraction]


def test_parameters_become_plain_data() -> None:
    nested = Nested(RejectionRule(bound=Bound.EXACT), ("a", "b"), {"p": Fraction(1, 3)})
    rule = {"RejectionRule": {"p": "1/3", "alpha": "1/2000", "bound": "exact"}}
    assert list_parameters(nested) == {"rule": rule, "names": ["a", "b"], "limits": {"p": "1/3"}}
    assert list_parameters(3) == {}


def test_a_provenance_is_json_and_knows_the_version() -> None:
    made = Provenance(name="groups", parameters={"k": 3}, seed=7, inputs={"T.csv": "ab"})
    assert json.loads(json.dumps(made.as_dict()))["version"] == version("sekisho")
    assert made.as_dict()["parameters"] == {"k": 3}


def test_a_digest_is_the_files_sha256_also_over_several_pieces(tmp_path: Path) -> None:
    data = b"x" * (CHUNK + 1)
    (tmp_path / "f").write_bytes(data)
    assert digest_file(tmp_path / "f") == sha256(data).hexdigest()

"""Ways to publish a table, side by side in one run: each proven, none tells the truth or its keys, forgeries are seen."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.stated import list_guess_reasons
from sekisho.journey.run import pass_gate
from sekisho.seeds import secret_rng
from sekisho.tables.files.records import RecordsBehind, RecordSource
from sekisho.tables.methods.perturbing import PerturbMethod
from sekisho.tables.perturb.keys import RecordKeys
from sekisho.tables.perturb.noise_file import write_noise
from sekisho.tables.perturb.rows import NoisePlan, VarianceCare

START = 'shape = "table"\noriginal = "people.csv"\nmicrodata = true\ntime = 20\nmin_count = 5\nwidth = 2\n'
DIMS = 'dims = ["town", "sex"]\n'
NOISE = '[[methods]]\nname = "perturb"\nnoise_file = "P.csv"\nkey_file = "{keys}"\nidentity = "id"\n'
METHODS = {
    "suppress": '[[methods]]\nname = "suppress"\n',
    "round": '[[methods]]\nname = "round"\nbase = 5\n',
    "perturb": NOISE.format(keys="people.keys"),
    "intervals": '[[methods]]\nname = "intervals"\n',
    "adjust": '[[methods]]\nname = "adjust"\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"p{at:03},{'0' + str(1 + at % 3)},{'fm'[at % 10 > 1]},{'xy'[at % 5 > 1]}" for at in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["id,town,sex,work", *rows]) + "\n")
    noise = NoisePlan(most=3, variance=Fraction(2), care=VarianceCare.AT_MOST).make_table()
    (tmp_path / "P.csv").write_bytes(write_noise(noise, tmp_path / "P.csv"))
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def test_all_methods_are_candidates_of_one_run(folder: Path) -> None:
    result = pass_gate(write(folder, START + DIMS + "".join(METHODS.values())), out=folder / "out")
    assert result.outcome is not None
    found: dict[str, TableCandidate] = {each.label.split()[0]: each for each in result.outcome.candidates}
    assert list(found) == list(METHODS)
    noisy = found["perturb"]
    assert noisy.verdict is Verdict.RELEASE
    assert noisy.release.certificate is not None
    assert noisy.release.certificate.complete
    assert noisy.score.value == pytest.approx(
        float(
            np.mean(np.minimum(1, (noisy.finding.audit.high - noisy.finding.audit.low) / 2 / noisy.release.table.value))
        )
    )  # every cell is uncertain, and none is empty
    secret = json.loads((folder / "people.keys").read_text())["secret"]
    for path in (folder / "out").rglob("*"):
        assert path.is_dir() or secret not in path.read_bytes().decode("utf-8", "replace")
    page = (folder / "out" / "confidential" / "report.html").read_text()
    assert "perturb" in page


def test_a_release_that_passes_because_no_width_is_asked_says_so(folder: Path) -> None:
    # a count rounded to a base of 5 and shown as 0 is known to be 0 to 4, which is 4 wide; hidden ones are 10
    text = START + DIMS + METHODS["round"]
    asked, unasked = (pass_gate(write(folder, one)).best for one in (text, text.replace("width = 2\n", "")))
    assert asked is not None
    assert unasked is not None
    assert not any("No width" in each for each in asked.remarks)
    assert any("4 is enough for an unsafe cell; hidden cells are usually 10 wide" in each for each in unasked.remarks)


@pytest.mark.parametrize("method", METHODS)
def test_a_forged_proof_of_a_method_is_refused(folder: Path, method: str) -> None:
    """Whoever changes the proof, or the table that was published, is found out by ``sekisho verify``."""
    pass_gate(write(folder, START + DIMS + METHODS[method] + '[policy]\n"certificate" = "release"\n'), out=folder / "o")
    # an adjusted table says nothing of any cell, so contributors were not considered: it awaits a person's decision
    leaving = folder / "o" / ("confidential/proposed" if method == "adjust" else "public")
    certificate = leaving / "certificate.json"
    assert verify_certificate(certificate).valid
    proof = folder / "o" / "confidential" / "table-certificate.json"
    held = json.loads(proof.read_text())
    for name in ("cost", "bound", "cells", "digest"):
        changed = {**held, name: [] if name == "cells" else "1"}
        proof.write_text(json.dumps(changed))
        assert not verify_certificate(certificate).valid
    proof.write_text(json.dumps(held))
    release = leaving / "release.csv"
    frame = pl.read_csv(release, infer_schema_length=0)
    last = frame.columns[-1]
    release.write_bytes(frame.with_columns(pl.lit("7").alias(last)).write_csv().encode())
    assert not verify_certificate(certificate).valid


def test_tables_that_leave_together_share_their_numbers_and_keys(folder: Path) -> None:
    tables = '[[tables]]\nname = "a"\ndims = ["town", "sex"]\n[[tables]]\nname = "b"\ndims = ["town", "work"]\n'
    recipe = write(folder, START + METHODS["perturb"] + tables)
    assert pass_gate(recipe, out=folder / "o").verdict is Verdict.RELEASE
    shown = [pl.read_csv(folder / "o" / "public" / f"release-{name}.csv", infer_schema_length=0) for name in "ab"]
    margins = [{row[0]: row[2] for row in frame.rows() if row[1] == "Total"} for frame in shown]
    assert margins[0] == margins[1]
    first = [frame.rows() for frame in shown]
    before = (folder / "people.keys").read_bytes()
    pass_gate(recipe, out=folder / "again")
    assert (folder / "people.keys").read_bytes() == before
    again = [pl.read_csv(folder / "again" / "public" / f"release-{name}.csv", infer_schema_length=0) for name in "ab"]
    assert first == [frame.rows() for frame in again]
    assert verify_certificate(folder / "o" / "public" / "certificate.json").valid


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (START + DIMS + '[[methods]]\nname = "perturb"\nkey_file = "k"\n', "noise_file"),
        (START + DIMS + '[[methods]]\nname = "perturb"\nnoise_file = "P.csv"\n', "key_file"),
        (START + DIMS + NOISE.format(keys="out/public/k"), "key_file"),
        (START + DIMS + 'value = "n"\n' + METHODS["perturb"], "value"),
        (
            START
            + METHODS["perturb"]
            + 'additive = "sum"\n[[tables]]\nname = "a"\ndims = ["town"]\n[[tables]]\nname = "b"\ndims = ["sex"]\n',
            "additive",
        ),
        (START.replace("microdata = true\n", 'count = "n"\n') + DIMS + METHODS["perturb"], "microdata"),
    ],
)
def test_noise_without_what_it_needs_is_refused(folder: Path, text: str, name: str) -> None:
    if "microdata" not in text:
        cells = [f"{town},{sex},{n}" for (town, sex), n in zip(product("ab", "fm"), (7, 4, 9, 3), strict=True)]
        (folder / "people.csv").write_text("\n".join(["town,sex,n", *cells]) + "\n")
    elif name == "value":
        people = (folder / "people.csv").read_text().splitlines()
        (folder / "people.csv").write_text("\n".join([f"{people[0]},n", *(f"{row},3" for row in people[1:])]) + "\n")
    with pytest.raises(ParameterError) as caught:
        pass_gate(write(folder, text), out=folder / "out")
    assert caught.value.name == name


def test_keys_are_drawn_once_for_the_same_people(folder: Path) -> None:
    pass_gate(write(folder, START + DIMS + METHODS["perturb"]))
    with pytest.raises(ParameterError, match="these people have already"):
        pass_gate(write(folder, START + DIMS + NOISE.format(keys="other.keys")))
    weak = RecordKeys.read(folder / "people.keys")
    held = json.loads((folder / "people.keys").read_text())
    held[next(iter(held))] = ""
    (folder / "people.keys").write_text(json.dumps(held))
    assert len(weak.keys) == 60
    with pytest.raises((FaultsError, ParameterError, ValueError)):
        pass_gate(write(folder, START + DIMS + METHODS["perturb"]))


def test_counts_that_are_guessed_almost_surely_are_looked_at(folder: Path) -> None:
    read = RecordSource(dims=("town", "sex")).read_records(folder / "people.csv")
    records = RecordsBehind(parts=(read,), places=(np.arange(len(read.read.table)),))
    method = PerturbMethod(noise_file=folder / "P.csv", key_file=folder / "k", identity="id")
    table = read.read.table.flag_cells(np.ones(len(read.read.table), dtype=np.bool_), sliding=1.0)
    made = method.make(table, rng=secret_rng(), records=records)
    assert made.evidence is not None
    assert not list(list_guess_reasons(made))
    chance = made.evidence.chance.copy()
    chance[4] = 0.91
    surer = replace(made, evidence=replace(made.evidence, chance=chance))
    reasons = list(list_guess_reasons(surer))
    assert [(one.rule, one.verdict) for one in reasons] == [("sure guess", Verdict.REVIEW)]

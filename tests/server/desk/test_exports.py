"""What is taken away makes what the desk made, byte by byte: by script, by notebook, by command on the recipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from sekisho.data.files.schema_files.schema_file import ColumnRules, SchemaFile
from sekisho.data.files.settings import build_settings, read_toml
from sekisho.data.shape import Shape
from sekisho.errors import InputError, ParameterError
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.run import RunOptions, run_entry
from sekisho.server.desk.cases import Case, DeskFolder, OriginalState
from sekisho.server.desk.edits import set_guarantee, set_key, set_role, set_shape
from sekisho.server.desk.exports import export_case, export_notebook, export_recipe, export_script, open_sealed_case
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.pages.table_edits import add_table
from sekisho.server.desk.versions import Version
from sekisho.words import Language


def write_records() -> str:
    rng = np.random.default_rng(1)
    rows = [
        f"{number},{rng.integers(20, 70)},{rng.choice(['F', 'M'])},{rng.choice(['Kyoto', 'Nara', 'Otsu'])},"
        f"{rng.choice(['flu', 'cold', 'none'])}"
        for number in range(120)
    ]
    return "\n".join(["id,age,sex,town,illness", *rows]) + "\n"


def write_history() -> str:
    rng = np.random.default_rng(2)
    rows = [
        f"c{rng.integers(12):02},2026-0{rng.integers(1, 4)}-{rng.integers(1, 28):02},{rng.choice(['tea', 'rice', 'soap'])},"
        f"{rng.integers(1, 5)}"
        for _ in range(120)
    ]
    return "\n".join(["customer_id,date,item,quantity", *rows]) + "\n"


def write_table() -> str:
    rng = np.random.default_rng(3)
    rows = [f"{region},{job},{rng.integers(1, 40)}" for region in "ABC" for job in ("cook", "clerk", "driver")]
    return "\n".join(["region,job,count", *rows]) + "\n"


def write_firms() -> str:
    rng = np.random.default_rng(4)
    rows = [
        f"f{number:03},{rng.choice([*'ABC'])},{rng.choice(['cook', 'clerk'])},{rng.choice(['s', 'm'])},{rng.integers(1, 90)}"
        for number in range(40)
    ]
    return "\n".join(["firm,region,job,size,turnover", *rows]) + "\n"


LINKED = "linked tables"
WORDS = "seven wild geese"
TEXTS = {
    Shape.RECORDS: write_records,
    Shape.HISTORY: write_history,
    Shape.TABLE: write_table,
    LINKED: write_firms,
}


def make_case(folder: Path, shape: str) -> tuple[Case, Version]:
    source = folder / "it's my file.csv"
    source.write_text(TEXTS[shape]())
    desk = DeskFolder(folder / "desk")
    proposed = Shape.TABLE if shape == LINKED else Shape(shape)
    case = desk.create(source, proposal=propose_files(source, shape=proposed))
    edits = set_key("title", "Seen at the desk")
    if shape == LINKED:
        edits = (*edits, *add_table(case.versions.read().files, {"dims": ["region", "size"], "value": "turnover"}))
    if shape is Shape.RECORDS:
        edits = (*edits, *set_guarantee(case.versions.read().files, "k", 4))
    version = case.versions.write(edits, based_on=1)
    assert isinstance(version, Version)
    return case, version


def read_files(folder: Path) -> dict[str, bytes]:
    names = [path for sub in ("public", "confidential/proposed") for path in (folder / sub).glob("*")]
    return {path.name: path.read_bytes() for path in names if path.name != "certificate.json"}


@pytest.mark.parametrize("shape", [*Shape, LINKED])
def test_every_way_makes_the_bytes_of_the_desk(tmp_path: Path, shape: str) -> None:
    case, version = make_case(tmp_path, shape)
    out = case.runs / "first"
    result = run_entry(
        ReadRecipe.read(version.recipe).open(), RunOptions(out=out, cache=case.steps, language=Language.JA)
    )
    made = result.certificate.made
    wanted = read_files(out)
    assert "report.html" in wanted
    assert sum(name.startswith("release") for name in wanted) == (2 if shape == LINKED else 1)
    command = tmp_path / "bin" / "sekisho"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sekisho "$@"\n')
    command.chmod(0o700)
    environ = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "SEKISHO_ADVICE": "0"}

    (tmp_path / "release.sh").write_bytes(export_script(case, version, made=made, language=Language.JA))
    subprocess.run(["/bin/sh", "release.sh", case.data, "by script"], cwd=tmp_path, env=environ, check=False)
    assert read_files(tmp_path / "by script" / "release") == wanted

    unpacked = tmp_path / "unpacked"
    with ZipFile(BytesIO(export_recipe(case, version))) as archive:
        archive.extractall(unpacked)
    (unpacked / case.data).write_bytes(case.file.read_bytes())
    seconds = {
        "SOURCE_DATE_EPOCH": export_script(case, version, made=made, language=Language.JA)
        .decode()
        .split("EPOCH=")[1]
        .split()[0]
    }
    subprocess.run(
        [str(command), "gate", "recipe.toml", "--out", "gate", "--language", "ja"],
        cwd=unpacked,
        env={**environ, **seconds},
        check=False,
    )
    assert read_files(unpacked / "gate") == wanted

    told = json.loads(export_notebook(case, version, made=made, language=Language.JA))
    code = "\n".join("".join(cell["source"]) for cell in told["cells"])
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environ, check=True, stdout=subprocess.DEVNULL)
    assert read_files(next(tmp_path.glob("*-v0002")) / "release") == wanted


def test_a_script_refuses_another_file_and_writes_nothing(tmp_path: Path) -> None:
    case, version = make_case(tmp_path, Shape.TABLE)
    (tmp_path / "release.sh").write_bytes(export_script(case, version))
    (tmp_path / "other.csv").write_text("region,count\nA,1\n")
    answer = subprocess.run(
        ["/bin/sh", "release.sh", "other.csv", "out"], cwd=tmp_path, capture_output=True, check=False
    )
    assert answer.returncode == 2
    assert b"SHA-256" in answer.stderr
    assert not (tmp_path / "out").exists()
    assert export_recipe(case, version) == export_recipe(Case.read(case.folder), case.versions.read())


def test_a_case_is_sealed_without_its_data(tmp_path: Path) -> None:
    case, _ = make_case(tmp_path, Shape.RECORDS)
    with pytest.raises(ParameterError, match="passphrase"):
        export_case(case, run=None, passphrase=WORDS[:5])
    with ZipFile(BytesIO(export_case(case, run=None, passphrase=WORDS))) as archive:
        sealed = archive.read("case.sealed")
    assert b"recipe.toml" not in sealed
    with pytest.raises(InputError, match="passphrase"):
        open_sealed_case(sealed, "another passphrase", "case.zip")
    with pytest.raises(InputError, match="changed"):
        open_sealed_case(sealed[:-1] + bytes([sealed[-1] ^ 1]), WORDS, "case.zip")
    with ZipFile(BytesIO(open_sealed_case(sealed, WORDS, "case.zip"))) as archive:
        names = archive.namelist()
    assert {"case.json", "head", "log.jsonl", "versions/0002/recipe.toml", "versions/0002/schema.toml"} <= set(names)
    assert not any(name.endswith(".csv") for name in names)


def test_a_file_is_dropped_in_pieces_and_one_that_changed_is_told(tmp_path: Path) -> None:
    data = write_records().encode()
    desk = DeskFolder(tmp_path / "desk")
    with desk.hold():
        with pytest.raises(InputError, match="another desk"), DeskFolder(tmp_path / "desk").hold():
            pass
        upload = desk.begin_upload("../../people.csv", len(data))
        upload.receive([data[:100], data[100:500]], start=0)
        (again,) = desk.list_uploads()
        assert again.received == 500
        with pytest.raises(ParameterError, match="500"):
            again.receive([data], start=0)
        again.receive([data[500:]], start=500)
        case = desk.create(again)
        assert (case.data, case.file.read_bytes(), desk.list_uploads()) == ("people.csv", data, ())
        assert case.check_original() is case.check_original(digest=True) is OriginalState.SAME
        case.file.write_bytes(data + b"x")
        assert desk.find(case.name).check_original() is OriginalState.CHANGED
        case.file.unlink()
        assert case.check_original() is OriginalState.GONE
        with pytest.raises(LookupError):
            desk.find("../cases")


def test_roles_come_and_go_without_a_trace(tmp_path: Path) -> None:
    case, version = make_case(tmp_path, Shape.RECORDS)
    for name in ("age", "town", "illness"):
        out = case.versions.write(set_role(version.files, case.columns, name, None), based_on=case.versions.head)
        assert isinstance(out, Version)
        assert [each.output_name for each in read_columns(out)] != [each.output_name for each in read_columns(version)]
        role = next(each.role for each in read_columns(version) if each.output_name == name)
        back = case.versions.write(set_role(out.files, case.columns, name, role), based_on=out.number)
        assert isinstance(back, Version)
        assert read_columns(back) == read_columns(version)
        version = back


def read_columns(version: Version) -> tuple[ColumnRules, ...]:
    return build_settings(read_toml(version.folder / "schema.toml"), SchemaFile, source="schema.toml").columns


def test_another_shape_takes_the_proposal_of_that_shape_and_undo_the_old_one(tmp_path: Path) -> None:
    case, version = make_case(tmp_path, Shape.RECORDS)
    proposal = propose_files(case.file, name=case.title, shape=Shape.TABLE)
    changed = case.versions.write(set_shape(proposal.files, version.files), based_on=version.number)
    assert isinstance(changed, Version)
    assert case.shape is Shape.TABLE
    assert set(changed.files) == {"recipe.toml", *(name for name in proposal.files if name.startswith("trees/"))}
    assert case.versions.undo().files == version.files

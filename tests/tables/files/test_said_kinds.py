"""What somebody says of a column of a table holds wherever its file is read: in memory, beyond it, in a recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.errors import FaultsError, MissingColumnsError, ParameterError
from sekisho.tables.files.records import RecordSource
from sekisho.tables.files.scanned_records import read_large_table
from sekisho.tables.files.source import choose_cells
from sekisho.tables.files.table_form import TableForm

DAYS = ("03/01/2024", "3/1/2024", "04/01/2024", "05/02/2024")
RECORDS = "opened,job,v\n" + "".join(f'{DAYS[row % 4]},{"xy"[row % 2]},"{row},5"\n' for row in range(24))
CELLS = "opened,job,n\n" + "".join(
    f"{day},{job},{n}\n"
    for day, counts in {"03/01/2024": (30, 12), "04/01/2024": (3, 20), "総数": (33, 32)}.items()
    for job, n in zip("xy", counts, strict=True)
)
KINDS = (SaidKind.parse("opened=date:%d/%m/%Y"), SaidKind.parse("v=decimal:,"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text(RECORDS, encoding="utf-8")
    (tmp_path / "c.csv").write_text(CELLS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("engine", [None, Engine.POLARS, Engine.DUCKDB])
def test_a_day_written_in_two_ways_is_one_code(engine: Engine | None, folder: Path) -> None:
    """Rows 0, 1, 4, 5, ... are of 3 January, in two writings; their sum is that of row + 0.5 over these twelve."""
    source = RecordSource(dims=("opened", "job"), value="v", form=TableForm(kinds=KINDS))
    path = folder / "m.csv"
    read = source.read_table(path) if engine is None else read_large_table(source, path, EngineChoice(engine=engine))
    table = read.table
    assert {key[0] for key in table.keys} == {"Total", "2024-01-03", "2024-01-04", "2024-02-05"}
    at = table.position["2024-01-03", "Total"]
    assert table.value[at] == sum(row + 0.5 for row in range(24) if row % 4 < 2)


def test_codes_of_margins_are_of_no_kind(folder: Path) -> None:
    form = TableForm(kinds=KINDS[:1])
    table = choose_cells(None, form, dims=["opened", "job"], count="n").read_table(folder / "c.csv").table
    assert table.margins == ("総数", "Total")
    assert {key[0] for key in table.keys} == {"総数", "2024-01-03", "2024-01-04"}


def test_what_is_said_wrongly_is_refused(folder: Path) -> None:
    def read(said: str, name: str = "c.csv") -> None:
        form = TableForm(kinds=(SaidKind.parse(said),))
        choose_cells(folder / name, form, dims=["opened", "job"], count="n").read_table(folder / name)

    with pytest.raises(FaultsError, match=r"row 1, opened: .*'03/01/2024' is no date of the format %Y-%m-%d"):
        read("opened=date:%Y-%m-%d")
    with pytest.raises(MissingColumnsError, match="did you mean opened"):
        read("opend=date")
    with pytest.raises(ParameterError, match="describes itself"):
        read("opened=date", "c.jj")


def test_the_command_the_file_of_a_table_and_the_gate_read_alike(folder: Path) -> None:
    words = ["--dims", "opened,job", "--count", "n", "--kind", "opened=date:%d/%m/%Y"]
    assert status_of(["table", "suppress", "c.csv", *words, "--out", "one.csv", "--public", "one-public.csv"]) == 0
    (folder / "table.toml").write_text(
        'shape = "table"\noriginal = "c.csv"\ndims = ["opened", "job"]\ncount = "n"\n'
        '[kinds]\nopened = "date:%d/%m/%Y"\n'
    )
    assert status_of(["table", "suppress", "table.toml", "--out", "two.csv"]) == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    assert status_of(["gate", "table.toml", "--out", "gate"]) == 0
    assert (folder / "gate/public/release.csv").read_bytes() == (folder / "one-public.csv").read_bytes()
    assert "2024-01-03" in (folder / "one.csv").read_text(encoding="utf-8")
    assert status_of(["table", "audit", "c.csv", *words, "--pattern", "one.csv"]) == 0


def test_a_kind_that_is_none_is_told_by_its_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "table.toml").write_text(
        'shape = "table"\noriginal = "c.csv"\ndims = ["opened", "job"]\ncount = "n"\nkinds.opened = "day"\n'
    )
    assert status_of(["gate", "table.toml", "--out", "gate", "--language", "en"]) == 2
    assert "kinds.opened must be COLUMN=KIND or COLUMN=KIND:FORMAT" in capsys.readouterr().err

"""Errors name the option to use, and only options that there are."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
import typer
from tests.data.files.workbook_files import make_xlsx
from typer.core import TyperGroup

from sekisho.cli import status_of
from sekisho.cli.door import app
from sekisho.cli.kit.typed_call import TypedCall, word_refusal
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Column, Kind, Schema
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, MissingColumnsError, ParameterError
from sekisho.words import CATALOGUE, Said

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
PEOPLE = "age,sex,job,pay\n" + "".join(
    f"{20 + row % 50},{'fm'[row % 2]},{'abc'[row % 3]},{1000 + row}\n" for row in range(40)
)
CELLS = [(region, job) for region in "NS" for job in "xyz"]
COUNTS = "region,job,n\n" + "".join(f"{region},{job},{3 + 3 * at}\n" for at, (region, job) in enumerate(CELLS))
SUMS = "region,job,v,frequency,x1\n" + "".join(
    f"{region},{job},{10 + 13 * at},{3 + at},{5 + at}\n" for at, (region, job) in enumerate(CELLS)
)
SUMS_ALONE = "region,job,v\n" + "".join(f"{region},{job},{10 + 13 * at}\n" for at, (region, job) in enumerate(CELLS))
"""Sums of which the file says no number of contributors: a column `frequency` would be read as one."""
LEVELS = {
    "N": {"01": 30, "01001": 13, "01002": 17, "02": 50, "02001": 21, "02002": 29},
    "S": {"01": 19, "01001": 8, "01002": 11, "02": 71, "02001": 41, "02002": 30},
}
FIRMS = "firm,region,job,v\n" + "".join(f"f{row},{'NS'[row % 2]},{'xyz'[row % 3]},{100 + row}\n" for row in range(40))


@cache
def list_options() -> frozenset[str]:
    """All options of all commands."""
    commands, options = [typer.main.get_command(app)], {"--help"}
    while commands:
        command = commands.pop()
        options |= {name for part in command.params for name in (*part.opts, *part.secondary_opts)}
        if isinstance(command, TyperGroup):
            context = typer.Context(command)
            below = [command.get_command(context, name) for name in command.list_commands(context)]
            commands += [each for each in below if each is not None]
    return frozenset(options)


@pytest.mark.parametrize("room", sorted(path.stem for path in CATALOGUE.glob("*.json")))
def test_every_option_that_a_sentence_names_exists_and_both_languages_name_the_same(room: str) -> None:
    sentences: dict[str, str] = json.loads((CATALOGUE / f"{room}.json").read_text(encoding="utf-8"))
    named = {english: set(OPTION.findall(english)) for english in sentences}
    assert {english: names - list_options() for english, names in named.items() if names - list_options()} == {}
    assert [each for each, japanese in sentences.items() if set(OPTION.findall(japanese)) != named[each]] == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "people.csv": PEOPLE,
        "gap.csv": PEOPLE.replace("\n23,", "\n,", 1),
        "two.csv": "a;b,c\n1;2,3\n4;5,6\n",
        "n.csv": COUNTS,
        "bad.csv": COUNTS.replace("N,x,3", 'N,x,"3,5x"'),
        "v.csv": SUMS,
        "w.csv": SUMS_ALONE,
        "firms.csv": FIRMS,
        "tree.csv": "node,parent\nx,A\ny,A\nz,A\n",
        "named.csv": COUNTS.replace("N,", "All,").replace("S,", "Total,"),
        "part.csv": COUNTS.replace(",z,", ",小計,"),
        "sum.csv": COUNTS.replace("N,z,9", "N,z,9").replace("S,z,18", "S,z,27"),
        "levels.csv": "region,job,n\n" + "".join(f"{r},{j},{n}\n" for r in LEVELS for j, n in LEVELS[r].items()),
        "one.csv": COUNTS.replace("N,", "計,").replace("S,x", "計,u").replace("S,y", "計,v").replace("S,z", "計,w"),
        "firmed.csv": FIRMS.replace(",N,", ",計,"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "sjis.csv").write_bytes("年齢,性別\n30,男\n31,女\n".encode("cp932"))
    (tmp_path / "book.xlsx").write_bytes(make_xlsx({"Data": [["age", "sex"], [30, "f"], [31, "m"]]}))
    return tmp_path


CALLS = {
    "protect partition people.csv --keys agee,sex --out o.csv": "--keys",
    "protect lattice people.csv --keys agee,sex --out o.csv": "--keys",
    "protect suppress people.csv --keys agee,sex --out o.csv": "--keys",
    "protect microaggregate people.csv --keys agee --out o.csv": "--keys",
    "protect partition people.csv --keys age --columns agee --out o.csv": "--columns",
    "protect partition people.csv --keys age --id agee --out o.csv": "--id",
    "protect partition people.csv --keys age --k 0 --out o.csv": "--k",
    "protect partition people.csv --keys age --l 2 --out o.csv": "--sensitive",
    "protect partition people.csv --keys age --l 2 --sensitive jb --out o.csv": "--sensitive",
    "protect lattice people.csv --keys age,job --tree jb=tree.csv --out o.csv": "--tree",
    "protect partition gap.csv --keys age,sex --missing refuse --out o.csv": "--missing",
    "protect partition people.csv --keys age --kind agee=integer --out o.csv": "--kind",
    "protect partition people.csv --keys age --kind sex=integer --out o.csv": "--kind",
    "protect partition people.csv --keys age --kind sex=date:%d/%m/%Y --out o.csv": "--kind",
    "protect partition people.csv --keys age --kind sex=tree --out o.csv": "--kind",
    "protect partition people.csv --keys age --decimal x --out o.csv": "--decimal",
    "protect partition people.csv --keys age --separator xx --out o.csv": "--separator",
    "protect partition sjis.csv --keys 年齢 --encoding utf-8 --out o.csv": "--encoding",
    "protect partition sjis.csv --keys 年齢 --encoding utf-99 --out o.csv": "--encoding",
    "protect partition book.xlsx --keys age --sheet Date --out o.csv": "--sheet",
    "protect noise people.csv --epsilon agee=1 --out o.csv": "--epsilon",
    "protect noise people.csv --out o.csv": "--epsilon",
    "protect recordswap people.csv --out o.csv": "--geography",
    "protect recordswap people.csv --geography regon --out o.csv": "--geography",
    "protect code people.csv --top agee=60 --out o.csv": "--top",
    "risk people.csv --keys agee,sex": "--keys",
    "risk people.csv": "--keys",
    "risk gap.csv --keys age,sex --missing refuse": "--missing",
    "risk people.csv --keys age --sensitive jb": "--sensitive",
    "risk people.csv --keys age --weights w": "--weights",
    "risk people.csv --keys age --tree job=tree.csv": "--tree",
    "risk people.csv --keys age --population 0": "--population",
    "risk sjis.csv --keys 年齢 --encoding utf-8": "--encoding",
    "compare people.csv people.csv --keys agee": "--keys",
    "compare people.csv people.csv --keys age --sensitive jb": "--sensitive",
    "table suppress v.csv --dims region,job --value v --rule p%:15 --out o.csv": "--contributors",
    "table suppress v.csv --dims region,job --value v --rule nk:2,85 --out o.csv": "--contributors",
    "table suppress w.csv --dims region,job --value v --rule min:3 --out o.csv": "--contributors",
    "table suppress v.csv --dims region,job --value v --rule p%:15 --contributors frequency,x1 --out o.csv": (
        "--contributors"
    ),
    "table suppress v.csv --dims region,job --value v --rule min:3 --contributors freq --out o.csv": "--contributors",
    "table suppress v.csv --dims region,job --value v --out o.csv": "--rule",
    "table suppress v.csv --dims region,job --out o.csv": "--count",
    "table suppress n.csv --dims region,jb --count n --out o.csv": "--dims",
    "table suppress n.csv --count n --out o.csv": "--dims",
    "table suppress n.csv --dims region,job --count m --out o.csv": "--count",
    "table suppress n.csv --dims region,job --count n --value n --out o.csv": "--value",
    "table suppress bad.csv --dims region,job --count n --out o.csv": "--decimal",
    "table suppress n.csv --dims region,job --count n --tree jb=tree.csv --out o.csv": "--tree",
    "table suppress n.csv --dims region,job --count n --tree tree.csv --out o.csv": "--tree",
    "table suppress n.csv --dims region,job --count n --total regon=T --out o.csv": "--total",
    "table suppress n.csv --dims region,job --count n --category T --out o.csv": "--category",
    "table suppress n.csv --dims region,job --count n --rule few:3 --out o.csv": "--rule",
    "table suppress n.csv --dims region,job --count n --mark x --out o.csv": "--public",
    "table suppress n.csv --dims region,job --count n --time -1 --out o.csv": "--time",
    "table suppress n.csv --dims region,job --count n --frozen v.csv --out o.csv": "--frozen",
    "table suppress firms.csv --microdata --dims region,jb --count n --out o.csv": "--dims",
    "table suppress firms.csv --microdata --dims region,job --value w --rule p%:15 --out o.csv": "--value",
    "table suppress firms.csv --microdata --dims region,job --value v --contributor frm --rule p%:15 --out o.csv": (
        "--contributor"
    ),
    "table suppress firms.csv --microdata --dims region,job --value v --rule request:70 --out o.csv": "--request",
    "table suppress firms.csv --dims region,job --value v --rule p%:15 --out o.csv": "--microdata",
    "table tabulate firms.csv --dims region,jb --out o.csv": "--dims",
    "table tabulate firms.csv --dims region,job --kind jb=category --out o.csv": "--kind",
    "table tabulate firms.csv --dims region,job --kind job=date --out o.csv": "--kind",
    "table suppress n.csv --dims region,job --count n --kind job=date:%d/%m/%Y --out o.csv": "--kind",
    "table suppress n.csv --dims region,job --count n --kind job=day --out o.csv": "--kind",
    "table audit n.csv --dims region,job --count n": "--pattern",
    "table difference n.csv v.csv --dims region,job --count n --out o": "--count",
    "init book.xlsx --sheet Date": "--sheet",
}


@pytest.mark.parametrize("typed", CALLS)
def test_a_wrong_call_is_answered_by_one_sentence_with_the_option_to_use(
    typed: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(typed)
    status = status_of([*words, "--language", "en"])
    said = capsys.readouterr().err.splitlines()
    assert status == 2
    assert [line for line in said if line.startswith("sekisho: ")] == said[-1:]
    named = set(OPTION.findall(said[-1]))
    assert CALLS[typed] in named
    assert named <= TypedCall.read(typer.main.get_command(app), words).options
    assert not (folder / "o.csv").exists()


@pytest.mark.parametrize(
    "typed", [typed for typed, option in CALLS.items() if option == "--keys" and "agee" in typed] + ["risk people.csv"]
)
def test_a_wrong_key_is_told_before_anything_else(typed: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.exists()
    assert status_of([*shlex.split(typed), "--language", "en"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "agee" not in typed or "age, sex, job, pay" in said[0]


def test_a_wrong_key_is_told_before_what_is_wrong_with_cells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.exists()
    typed = "protect partition gap.csv --keys agee --missing refuse --kind sex=integer --out o.csv"
    assert status_of(typed.split()) == 2
    assert capsys.readouterr().err == (
        "sekisho: --keys: gap.csv: has no column agee; it has age, sex, job, pay; did you mean age?\n"
    )


RECIPES: dict[str, tuple[str, ...]] = {
    'original="v.csv" dims=["region","job"] value="v" rules=["p%:15"]': ("contributors",),
    'original="v.csv" dims=["region","job"] value="v" rules=["nk:2,85"]': ("contributors",),
    'original="w.csv" dims=["region","job"] value="v" rules=["min:3"]': ("contributors",),
    'original="v.csv" dims=["region","job"] value="v" rules=["p%:15"] contributors=["frequency","x1"]': (
        "contributors",
    ),
    'original="v.csv" dims=["region","job"] value="v" rules=["min:3"] contributors=["freq"]': ("contributors",),
    'original="v.csv" dims=["region","job"] value="v"': ('rules = ["p%:15"]',),
    'original="v.csv" dims=["region","job"]': ("count", "value"),
    'original="n.csv" dims=["region","jb"] count="n"': ("dims",),
    'original="n.csv" count="n"': ("dims",),
    'original="n.csv" dims=["region","job"] count="m"': ("count",),
    'original="n.csv" dims=["region","job"] count="n" value="n"': ("count", "value"),
    'original="bad.csv" dims=["region","job"] count="n"': ('decimal = ","',),
    'original="n.csv" dims=["region","job"] count="n" trees={jb="tree.csv"}': ("trees.jb",),
    'original="n.csv" dims=["region","job"] count="n" groupings={jb=["tree.csv"]}': ("groupings.jb",),
    'original="n.csv" dims=["region","job"] count="n" totals={regon="T"}': ("totals",),
    'original="n.csv" dims=["region","job"] count="n" categories={regon=["T"]}': ("categories",),
    'original="n.csv" dims=["region","job"] count="n" rules=["few:3"]': ("rules.1",),
    'original="n.csv" dims=["region","job"] count="n" time=-1': ("time",),
    'original="n.csv" dims=["region","job"] count="n" width=-1': ("width",),
    'original="n.csv" dims=["region","job"] count="n" frozen="v.csv"': ("frozen",),
    'original="sjis.csv" dims=["年齢"] count="性別" encoding="utf-8"': ("encoding",),
    'original="book.xlsx" dims=["age"] count="sex" sheet="Date"': ("sheet",),
    'original="firms.csv" microdata=true dims=["region","jb"]': ("dims",),
    'original="firms.csv" microdata=true dims=["region","job"] value="w" rules=["p%:15"]': ("value",),
    'original="firms.csv" microdata=true dims=["region","job"] value="v" contributor="frm" rules=["p%:15"]': (
        "contributor",
    ),
    'original="firms.csv" microdata=true dims=["region","job"] value="v" rules=["request:70"]': ('request = "asked"',),
    'original="firms.csv" dims=["region","job"] value="v" rules=["p%:15"]': ("microdata = true",),
    'original="named.csv" dims=["region","job"] count="n"': ('totals.region = "All"',),
    'original="named.csv" dims=["region","job"] count="n" totals={region="T"}': (
        'totals.region = "All"',
        'categories.region = ["All"]',
    ),
    'original="part.csv" dims=["region","job"] count="n"': ("trees", "groupings", 'categories.job = ["小計"]'),
    'original="sum.csv" dims=["region","job"] count="n"': ('totals.job = "z"', 'categories.job = ["z"]'),
    'original="levels.csv" dims=["region","job"] count="n"': ('trees.job = "FILE"', 'categories.job = ["01"]'),
    'original="one.csv" dims=["region","job"] count="n"': ('categories.region = ["計"]',),
    'original="n.csv" dims=["region","job"] count="n" kinds={job="day"}': ("kinds.job",),
    'original="n.csv" dims=["region","job"] count="n" kinds={jb="date"}': ("kinds",),
    'original="n.csv" dims=["region","job"] count="n" kinds={job="date:%d/%m/%Y"}': ('kinds.COLUMN = "category"',),
    'original="firmed.csv" microdata=true dims=["region","job"]': ('categories.region = ["計"]',),
}
"""By what a recipe of a table says wrongly the keys that the answer names."""


@pytest.mark.parametrize("said", RECIPES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_gate_names_the_keys_of_its_recipe_and_no_option_of_another_command(
    said: str, language: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = re.sub(r" (?=[a-z]+=)(?![^{]*})", "\n", said)
    (folder / "r.toml").write_text(f'shape = "table"\n{lines}\n', encoding="utf-8")
    words = ["gate", "r.toml", "--out", "out"]
    status = status_of([*words, "--json", "--language", language])
    output = capsys.readouterr()
    assert status == 2
    sentence = json.loads(output.out)["error"]
    assert [key for key in RECIPES[said] if key not in sentence] == []
    assert set(OPTION.findall(output.err + output.out)) <= TypedCall.read(typer.main.get_command(app), words).options


def test_what_is_told_of_a_table_names_the_keys_of_a_recipe_or_the_options_of_a_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "t.csv").write_text(
        COUNTS + "".join(f"総数,{job},{15 + 6 * at}\n" for at, job in enumerate("xyz")), encoding="utf-8"
    )
    said = 'shape = "table"\noriginal = "t.csv"\ndims = ["region", "job"]\ncount = "n"\nmin_count = 1\n'
    (folder / "r.toml").write_text(said, encoding="utf-8")
    status_of(["gate", "r.toml", "--out", "out", "--language", "en"])
    told = capsys.readouterr().err
    assert 'if it is a category, say categories.region = ["総数"]' in told
    assert "the minimum frequency is switched off (min_count = 1)" in told
    status_of(shlex.split("table suppress t.csv --dims region,job --count n --min-count 1 --out o.csv --language ja"))
    told = capsys.readouterr().err
    assert "カテゴリなら --category region=総数 を指定してください" in told
    assert "（--min-count 1）" in told


def test_the_same_error_is_worded_by_each_door(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python says the parameter, the command line its option, the gate its recipe's key."""
    (folder / "r.toml").write_text(
        'title = "v"\nshape = "table"\noriginal = "v.csv"\ndims = ["region", "job"]\nvalue = "v"\nrules = ["p%:15"]\n'
    )
    assert status_of(["gate", "r.toml", "--out", "out"]) == 2
    assert "sekisho: contributors must name the 2 largest" in capsys.readouterr().err
    error = ParameterError("largest", Said("name the {places} largest contributions of each cell", places=2), 0)
    assert str(error) == "largest must name the 2 largest contributions of each cell, not 0"
    typed = TypedCall(words=("table", "suppress"), options=frozenset({"--contributors"}))
    assert word_refusal(error, typed).startswith("--contributors must name the 2 largest")


def test_an_option_is_named_only_where_the_command_has_it() -> None:
    fault = Fault(row=1, column="age", rule="missing", value="", message=Said("{name} is missing", name="age"))
    error = FaultsError("a.csv", [fault])
    assert word_refusal(error, TypedCall()) == str(error)
    assert "--missing drop" in word_refusal(error, TypedCall(options=frozenset({"--missing"})))
    missing = MissingColumnsError("a.csv", ["agee"], ["age"])
    typed = TypedCall(words=("risk", "--keys=sex,agee", "--id", "agee"), options=frozenset({"--keys"}))
    assert word_refusal(missing, typed).startswith("--keys: a.csv: has no column agee")


def test_columns_that_are_named_are_no_part_of_a_settled_schema() -> None:
    schema = SchemaFile(shape=Shape.RECORDS, named=("age",))
    assert schema.settle_columns(Schema((Column(name="sex", kind=Kind.CATEGORY),))).named == ()

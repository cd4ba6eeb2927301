"""No command writes over its input or twice to one place, and none works before it knows that it can write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sekisho.cli import gate_run, status_of
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed

Refused = Callable[[str], str]
CELLS = "a,b,n\nx,p,2\nx,q,40\nx,r,7\ny,p,30\ny,q,50\ny,r,60\nz,p,9\nz,q,41\nz,r,52\n"
RECIPE = (
    'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "pseudonymise"\n[[adversaries]]\nname = "chance"\n'
    '[[adversaries]]\nname = "maximum-knowledge"\np = "1/4"\n'
)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Run a command line that must be refused with status 2, nothing changed; return what it said."""
    monkeypatch.chdir(tmp_path)
    history = SyntheticHistory(customers=12, items=40, median_rows=5).draw(rng=Seed(3).rng())
    Path("T.csv").write_bytes(write_original(history, read_history_rules("pwscup2018")))
    # what is refused before the work need not be readable
    for name in ("A.csv", "A1.csv", "B.csv", "X.csv", "R.csv", "R.csv.mechanism.json", "s.csv"):
        Path(name).write_text(f"{name}\n")
    Path("t.csv").write_text(CELLS)
    Path("u.csv").write_text(CELLS.replace("40", "44"))
    Path("tree.csv").write_text("node,parent\nx,top\ny,top\ntop,Total\nz,Total\n")
    Path("recipe.toml").write_text(RECIPE)
    Path("folder").mkdir()
    Path("confidential").mkdir()
    Path("confidential/recipe.toml").write_text(RECIPE.replace("T.csv", "truth.csv"))
    Path("confidential/truth.csv").write_text("T\n")

    def command(line: str) -> str:
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        capsys.readouterr()
        assert status_of(line.split()) == 2, line
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        return capsys.readouterr().err

    return command


SUPPRESS = "table suppress t.csv --dims a,b --count n"


@pytest.mark.parametrize(
    "line",
    [
        "publish pwscup2018 --released A.csv --original T.csv --out P.csv --truth P.csv",
        "publish pwscup2018 --released A.csv --original T.csv --out P.csv --truth folder/../P.csv",
        "publish pwscup2018 --released A.csv --out A.csv",
        "publish pwscup2021 --released B.csv --out B.csv",
        "publish pwscup2018 --released A.csv --original T.csv --out P.csv --truth T.csv",
        "protect erase T.csv --out T.csv --seed 1",
        "protect swap B.csv --out B.csv --deleted X.csv --seed 1",
        "protect swap B.csv --out D.csv --deleted D.csv --seed 1",
        "protect sample t.csv --columns a,b --size 4 --out P.csv --report P.csv",
        "protect sample t.csv --columns a,b --size 4 --out P.csv --report P.csv.mechanism.json",
        "attack chance --original T.csv --published A1.csv --out A1.csv --seed 1",
        "attack chance --original T.csv --published A1.csv --out T.csv --seed 1",
        (
            "attack posterior --mechanism R.csv.mechanism.json --original t.csv --published R.csv --out "
            "R.csv.mechanism.json"
        ),
        "draw-test-set pwscup2021 --original B.csv --deleted X.csv --out C.csv --answers C.csv --seed 1",
        "draw-test-set pwscup2021 --original B.csv --deleted X.csv --out X.csv --answers C.csv --seed 1",
        "study pwscup2018 --original T.csv A.csv --report A.csv",
        "plan pram --strata s.csv --domains 2 --k 3 --out s.csv",
        "plan release B.csv --out D.csv --deleted D.csv",
        "plan release B.csv --out B.csv --deleted X.csv",
        "gate confidential/recipe.toml --out .",
        f"{SUPPRESS} --out t.csv",
        f"{SUPPRESS} --tree a=tree.csv --out tree.csv",
        f"{SUPPRESS} --out p.csv --report p.csv",
        f"{SUPPRESS} --out p.csv --certificate p.csv",
        f"{SUPPRESS} --out p.csv --report p.csv.certificate.json",
        "table audit t.csv --pattern u.csv --dims a,b --count n --report u.csv",
        "table tabulate t.csv --dims a,b --out t.csv",
        "table convert t.csv t.csv --dims a,b --count n",
        "table link t.csv u.csv --dims a,b --count n --out .",
        "table audit-linked t.csv u.csv --pattern t.csv --pattern u.csv --dims a,b --count n --report t.csv",
        "table difference u.csv t.csv --dims a,b --count n --out folder/..",
        "table audit-difference u.csv t.csv --pattern u.csv --pattern t.csv --dims a,b --count n --report t.csv",
    ],
)
def test_one_place_for_two_things_is_refused(refused: Refused, line: str) -> None:
    said = refused(line)
    assert "files to write" in said
    assert "is an input and would be written over" in said or "is written, too" in said


@pytest.mark.parametrize("place", [".", "folder", "none/P.csv", "T.csv/P.csv"])
@pytest.mark.parametrize(
    "line",
    [
        "publish pwscup2018 --released A.csv --out",
        "protect erase T.csv --seed 1 --out",
        "protect swap B.csv --seed 1 --out D.csv --deleted",
        "attack chance --original T.csv --published A1.csv --seed 1 --out",
        "draw-test-set pwscup2021 --original B.csv --deleted X.csv --answers P.csv --seed 1 --out",
        "study pwscup2018 --original T.csv A.csv --seed 1 --report",
        "thresholds --max 10 --out",
        "plan pram --strata s.csv --domains 2 --k 3 --out",
        "plan release B.csv --deleted P.csv --out",
        f"{SUPPRESS} --out",
        f"{SUPPRESS} --out P.csv --report",
        "table tabulate t.csv --dims a,b --out",
        "table convert t.csv --dims a,b --count n",
        "protect sample t.csv --columns a,b --size 4 --out",
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(refused: Refused, line: str, place: str) -> None:
    assert "cannot be written" in refused(f"{line} {place}")


def test_the_gate_tries_its_folder_before_it_works(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(gate_run, "run_entry")
        assert "cannot be written: not a directory" in refused("gate recipe.toml --out T.csv")
        assert "cannot be written: not a directory" in refused("demo --out T.csv/demo")
    # a fraction in an adversary's label is no folder
    status_of(["gate", "recipe.toml", "--out", "new/gate", "--seed", "1"])
    assert sorted(path.name for path in Path("new/gate/confidential").glob("guess-*")) == [
        "guess-chance.csv",
        "guess-maximum-knowledge-p=1-4.csv",
    ]


def test_a_converted_table_leaves_the_files_of_its_source_alone(refused: Refused) -> None:
    assert (
        status_of(["table", "convert", "t.csv", "v.tab", "--dims", "a,b", "--count", "n", "--tree", "a=tree.csv"]) == 0
    )
    # the copy's .rda names the tree file v_a.hrc
    Path("w.tab").write_bytes(Path("v.tab").read_bytes())
    Path("w.rda").write_bytes(Path("v.rda").read_bytes())
    assert "v_a.hrc is an input" in refused("table convert w.tab v.tab")

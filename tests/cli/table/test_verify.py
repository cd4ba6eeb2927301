"""A certificate is valid for the files that it speaks of, and says among which patterns its pattern is the best."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.tables import HOW, TABLE, run
from tests.laws import try_examples

from sekisho.cli import status_of

ALONE = "the certificate alone: no file that it speaks of was given or found beside it"


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    words = ("--out", tmp_path / "p.csv", "--public", tmp_path / "public.csv")
    assert run(capsys, "table", "suppress", tmp_path / "t.csv", *HOW, *words)[0] == 0
    return tmp_path


def test_files_beside_the_certificate_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    assert (status, answer["valid"], answer["checked"]) == (0, True, "the certificate and p.csv, public.csv")
    (folder / "public.csv").unlink()
    status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    assert (status, answer["checked"], answer["missing"]) == (0, "the certificate and p.csv", ["public.csv"])
    (folder / "p.csv").unlink()
    status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    assert (status, answer["checked"], answer["missing"]) == (0, ALONE, ["p.csv", "public.csv"])


@try_examples(40, share_fixtures=True)
@given(data=st.data())
def test_no_edited_file_is_valid(folder: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["p.csv", "public.csv"]))
    text = (folder / name).read_text()
    lines = text.splitlines()
    row = data.draw(st.integers(1, len(lines) - 1))
    parts = lines[row].split(",")
    column = data.draw(st.integers(0, len(parts) - 1))
    parts[column] = data.draw(
        st.sampled_from(["", "7", "x", "safe", "secondary", "primary"]).filter(lambda word: word != parts[column])
    )
    edited = "\n".join([*lines[:row], ",".join(parts), *lines[row + 1 :]]) + "\n"
    (folder / name).write_text(edited)
    try:
        status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    finally:
        (folder / name).write_text(text)
    assert (status, answer["valid"]) == (1, False)
    assert any(name in error for error in answer["errors"])


def test_a_certificate_that_names_the_digest_of_an_edited_file_is_invalid_by_the_cells(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # whoever edits the pattern may write its digest into the certificate, and the certificate's own digest as well
    path, certificate = folder / "p.csv", folder / "p.csv.certificate.json"
    hidden = next(line for line in path.read_text().splitlines() if line.endswith(",secondary"))
    a, b = hidden.split(",")[:2]
    path.write_text(path.read_text().replace(hidden, f"{a},{b},1,safe"))
    held = json.loads(certificate.read_text())
    held.pop("digest")
    held["files"][0]["digest"] = sha256(path.read_bytes()).hexdigest()
    held["digest"] = sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    certificate.write_text(json.dumps(held))
    status, answer = run(capsys, "table", "verify", certificate)
    assert status == 1
    assert answer["errors"] == [
        f"p.csv: {a}, {b} is hidden by the certificate and shows 1",
        f"p.csv: {a}, {b} is secondary by the certificate and safe here",
    ]


def test_files_elsewhere_and_in_another_form_are_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = folder / "p.csv.certificate.json"
    other = folder / "elsewhere"
    other.mkdir()
    (folder / "p.csv").rename(other / "mine.csv")
    words = ("table", "verify", certificate, "--pattern")
    assert run(capsys, *words, other / "mine.csv")[0] == 0
    frame = pl.read_csv(other / "mine.csv")
    frame.write_parquet(other / "mine.parquet")  # the same cells, but not the file that was written
    status, answer = run(capsys, *words, other / "mine.parquet")
    assert (status, answer["errors"]) == (
        1,
        ["mine.parquet is not the pattern that was certified: its digest is another"],
    )
    assert run(capsys, *words, other / "none.csv")[0] == 2


def test_patterns_of_linked_tables_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = {(a, b): 20 + at for at, (a, b) in enumerate(product("xyz", "pqr"))} | {("x", "p"): 2}
    (tmp_path / "one.csv").write_text("a,b,n\n" + "".join(f"{a},{b},{n}\n" for (a, b), n in cells.items()))
    sums = {a: sum(n for (one, _), n in cells.items() if one == a) for a in "xyz"}
    (tmp_path / "two.csv").write_text("a,c,n\n" + "".join(f"{a},u,{n - 9}\n{a},v,9\n" for a, n in sums.items()))
    sources, out = (tmp_path / "one.csv", tmp_path / "two.csv"), tmp_path / "patterns"
    assert run(capsys, "table", "link", *sources, "--dims", "a,b,c", "--count", "n", "--out", out)[0] == 0
    status, answer = run(capsys, "table", "verify", out / "linked.certificate.json")
    assert (status, answer["checked"]) == (0, "the certificate and one.csv, two.csv")
    text = (out / "two.csv").read_text()
    (out / "two.csv").write_text(text.replace(",9,safe", ",8,safe", 1))
    status, answer = run(capsys, "table", "verify", out / "linked.certificate.json")
    assert (status, any("instead of 9" in error for error in answer["errors"])) == (1, True)


CUBE = {key: 20 + (7 * at) % 11 for at, key in enumerate(product("xy", "pq", "uv"))} | {("x", "p", "u"): 1}


def test_the_best_says_among_which_patterns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "p.csv"
    source.write_text("a,b,c,n\n" + "".join(f"{','.join(key)},{n}\n" for key, n in CUBE.items()))
    words = ("table", "suppress", source, "--dims", "a,b,c", "--count", "n", "--out", out)
    status, kept = run(capsys, *words)
    among = f"the safe patterns that show the kept totals of totals ({kept['kept_totals']})"
    assert (status, kept["status"], kept["among"]) == (0, "optimal", among)
    status, answer = run(capsys, "table", "verify", f"{out}.certificate.json")
    assert (status, answer["among"], answer["bound"]) == (0, among, kept["cost"])
    status, free = run(capsys, *words, "--margins", "free")
    assert (free["among"], free["cost"] <= kept["cost"]) == ("all safe patterns", True)
    # what was published before stays: the bound speaks of patterns that respect it
    earlier = tmp_path / "earlier.csv"
    out.rename(earlier)
    status, frozen = run(capsys, *words, "--margins", "free", "--frozen", earlier)
    assert status == 0
    assert frozen["among"].endswith(f"hide the cells that were hidden before ({free['secondary']})")
    assert status_of(["table", "verify", f"{out}.certificate.json"]) == 0
    assert f"among {frozen['among']}" in capsys.readouterr().out


def test_a_gate_that_considered_insiders_does_not_say_that_it_did_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "r.toml").write_text(
        'shape = "table"\noriginal = "t.csv"\ndims = ["a", "b"]\ncount = "n"\ninsiders = 1\n'
    )
    out = tmp_path / "out"
    assert run(capsys, "gate", tmp_path / "r.toml", "--out", out)[0] == 0
    pages = [path.read_text() for path in out.rglob("*.html")]
    assert len(pages) >= 2
    for page in pages:
        assert "were not considered" not in page
        assert "each single contributor" in page
    # the gate's files are compared by their cells: its proof does not name them
    proof, pattern, public = (
        out / name for name in ("confidential/table-certificate.json", "confidential/pattern.csv", "public/release.csv")
    )
    words = ("table", "verify", proof, "--pattern", pattern, "--public", public)
    assert run(capsys, "table", "verify", proof)[1]["checked"] == ALONE
    assert run(capsys, *words)[0] == 0
    public.write_text(public.read_text().replace(",x", ",3", 1))
    status, answer = run(capsys, *words)
    assert (status, len(answer["errors"])) == (1, 1)

"""What the documentation shows runs: every command line as it stands, every file and every Python block of a page.

A TOML block whose first line is a comment with a file's name becomes that file. Then the page is read from top to
bottom: a line ``$ …`` of a block or ``sekisho …`` between backticks is run, in a folder that holds small files under the
names that the pages use. A command must answer (exit status 0, 1 or 3), never refuse or fail,
unless ``# status N`` beside it says what it exits with. Campaigns (``python verify/…``) and
targets of make are only looked up: they are run by make itself. docs/claims.md is not among the pages: its commands are
run and their answers compared by tests/test_claims_page.py.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from tests.documents.stand_ins import ANSWERS, run_command, write_stand_ins

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "works.md",
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "methods").glob("*.md")),
    *sorted((ROOT / "docs" / "proofs").glob("*.md")),
    ROOT / "docs" / "reference" / "recipe.md",
    ROOT / "docs" / "reference" / "rules.md",
]
PIECE = re.compile(
    r"^[ ]*```(?P<kind>\w*)\n(?P<block>.*?)^[ ]*```$|`(?P<inline>(?:sekisho|make|python) [^`\n]+)`",
    re.MULTILINE | re.DOTALL,
)
PAGES_WITH_COMMANDS = 20
SERVER = ("serve", "worker", "remote", "desk")
"""Their calls do not end, or need a server: their options are looked up here, and tests/cli runs them.

Calls with ``--master`` need a cluster and are looked up as well; tests_spark runs such.
"""


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand-ins")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_stand_ins(folder)
    return folder


def list_pieces(page: Path) -> Iterator[tuple[str, str]]:
    """Give what a page shows as (kind, text): ``command``, ``python``, or the name of a file."""
    for piece in PIECE.finditer(page.read_text()):
        kind, block, inline = piece.group("kind", "block", "inline")
        if inline:
            yield "command", inline
        elif kind == "python":
            yield "python", block
        elif kind == "toml" and (name := re.match(r"# (\S+\.toml)\b", block)):
            yield name.group(1), block
        else:
            joined = re.sub(r"\\\n\s*", "", block)
            yield from (("command", line) for line in re.findall(r"^\$ (.+)$", joined, re.MULTILINE))


def list_commands(page: Path) -> list[str]:
    return [text for kind, text in list_pieces(page) if kind == "command"]


def read_verbs() -> frozenset[str]:
    manual = json.loads((files("sekisho.cli.kit") / "manual.json").read_text())
    return frozenset(manual)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_runs(page: Path, stand_ins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "here"
    shutil.copytree(stand_ins, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    pieces, failures = list(list_pieces(page)), list[str]()
    for name, text in pieces:
        if name.endswith(".toml"):
            (folder / name).write_text(text)
    for kind, text in pieces:
        if kind == "command":
            failures.extend(_find_failure(text))
        elif kind == "python":
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
            failures.extend([f"{text}\n{done.stderr}"] if done.returncode else [])
    assert not failures, "\n".join(failures)


def _find_failure(line: str) -> list[str]:
    """Run a command line or look it up; return what is wrong with it, if anything is."""
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        targets = (ROOT / "Makefile").read_text()
        return [f"{line}: no such target" for target in words[1:] if f"\n{target}:" not in targets]
    if words[0] == "python":
        script = words[2].replace(".", "/") + ".py" if words[1] == "-m" else words[1]
        return [] if (ROOT / script).is_file() else [f"{line}: no such script"]
    if words[0] != "sekisho" or " ".join(words[1:]) in read_verbs():
        return []
    if "…" in line:
        return [f"{line}: complete it, so that it can be run"]
    if words[1] in SERVER or "--master" in words:
        return _look_up_options(line, words[1:])
    status, out, err = run_command(words[1:])
    said = re.search(r"# status ([0-9]+)", line)
    expected = ANSWERS if said is None else (int(said.group(1)),)
    return [] if status in expected and (out or err).strip() else [f"{line}: status {status}\n    {err.strip()[-300:]}"]


def _look_up_options(line: str, words: list[str]) -> list[str]:
    manual = json.loads((files("sekisho.cli.kit") / "manual.json").read_text())
    verb = next(name for name in (" ".join(words[:2]), words[0]) if name in manual)
    known = {option.rstrip("=") for option in manual[verb]["options"]}
    return [f"{line}: no option {word}" for word in words if word.startswith("--") and word not in known]


def test_the_pages_show_commands() -> None:
    assert sum(bool(list_commands(page)) for page in PAGES) >= PAGES_WITH_COMMANDS


def test_a_command_that_is_refused_is_seen(stand_ins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stand_ins)
    assert "status 2" in _find_failure("sekisho risk people.csv --keys nowhere")[0]
    assert _find_failure("sekisho risk people.csv --keys nowhere  # status 2") == []
    assert "status 0" in _find_failure("sekisho threshold 5  # status 1")[0]
    assert "complete it" in _find_failure("sekisho judge pwscup2021 …")[0]
    assert _find_failure("sekisho remote submit --file A.csv") == [
        "sekisho remote submit --file A.csv: no option --file"
    ]
    assert _find_failure("make nonsense") == ["make nonsense: no such target"]
    assert _find_failure("python verify/nonsense.py") == ["python verify/nonsense.py: no such script"]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guide").glob("from-*.md")), ids=lambda page: page.stem)
def test_every_row_of_a_guide_for_newcomers_names_a_command(page: Path) -> None:
    rows = [line for line in page.read_text().splitlines() if line.startswith("| ") and "| here |" not in line]
    assert rows
    assert [row for row in rows if "`sekisho " not in row] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guide").glob("*.md")), ids=lambda page: page.stem)
def test_a_guide_shows_the_same_commands_and_code_in_japanese(page: Path) -> None:
    assert list(list_pieces(page.parent / "ja" / page.name)) == list(list_pieces(page))


@pytest.mark.parametrize(
    ("english", "japanese"), [("README.md", "README.ja.md"), ("docs/works.md", "docs/guide/ja/works.md")]
)
def test_the_japanese_page_shows_the_same_commands_and_code(english: str, japanese: str) -> None:
    assert list(list_pieces(ROOT / japanese)) == list(list_pieces(ROOT / english))


def test_the_readme_is_read_at_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 700

"""Change one token of the program at a time, and tell which changes the tests of its room do not notice.

Mutations are drawn with a seed among the rooms that changed since a revision, each room by how many it has. Each is
tried in a copy of the repository: first on the folder of tests that mirrors the module's own, then on all tests of the
room. One that no test fails for is a *survivor*: either it changes nothing that anybody could see, which a reader
judges, or a test is missing. Timing decides nothing but that a run which does not end has noticed.

python verify/mutants.py --count 20 --seed 1 --since main; the survivors stand in verify/out/mutants.json
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.conftest import SHARED
from tests.slow import find_room, list_changes

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "src/sekisho"
OUT = ROOT / "verify" / "out" / "mutants.json"
SWAPS = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "*": "+",
    "//": "*",
    "+=": "-=",
    "-=": "+=",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "not": "",
    "break": "continue",
}
MOST_SECONDS = 1200.0
"""A run of tests that takes longer has noticed: it does not end."""
GREEN, RED = 0, 1
NO_TESTS = 5

Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One token of one file, and what stands in its place."""

    path: str
    line: int
    column: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.before} -> {self.after or '(nothing)'}"

    def apply(self, text: str) -> str:
        """Return the file's text, mutated."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        end = self.column + len(self.before)
        lines[self.line - 1] = line[: self.column] + self.after + line[end:]
        return "".join(lines)


def list_quiet_spans(tree: ast.Module) -> Iterator[Span]:
    """Find the parts of a module whose change nobody could see when it runs: types, decorators, what types import."""
    for node in ast.walk(tree):
        quiet = list[ast.AST]()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            quiet += [*node.decorator_list, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.ClassDef):
            quiet += node.decorator_list
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            quiet.append(node.annotation)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            quiet.append(node)
        for part in quiet:
            start, end = find_span(part)
            yield start, end


def find_span(node: ast.AST) -> Span:
    """Return where a piece of syntax begins and ends."""
    place = {name: int(getattr(node, name)) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    return (place["lineno"], place["col_offset"]), (place["end_lineno"], place["end_col_offset"])


def replace_token(token: tokenize.TokenInfo, following: tokenize.TokenInfo) -> str | None:
    """Return what a token is changed into; None if it stays."""
    if token.type == tokenize.NUMBER and token.string.isdigit():
        return str(int(token.string) + 1)
    if token.type == tokenize.NAME and token.string == "not" and following.string == "in":
        return ""
    if token.type in {tokenize.OP, tokenize.NAME}:
        return SWAPS.get(token.string)
    return None


def list_mutations(path: str, text: str) -> list[Mutation]:
    """Return every mutation of a file that still is a program, and another one than before."""
    tree = ast.parse(text)
    quiet = list(list_quiet_spans(tree))
    plain = ast.dump(tree)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    mutations = list[Mutation]()
    for token, following in pairwise(tokens):
        after = replace_token(token, following)
        if after is None or any(start <= token.start < end for start, end in quiet):
            continue
        line, column = token.start
        mutation = Mutation(path=path, line=line, column=column, before=token.string, after=after)
        if is_another_program(mutation.apply(text), plain):
            mutations.append(mutation)
    return mutations


def is_another_program(text: str, plain: str) -> bool:
    """Tell whether a text is a program, and not the one whose syntax is given."""
    try:
        return ast.dump(ast.parse(text)) != plain
    except SyntaxError:
        return False


def list_files(room: str) -> list[str]:
    """Return the modules of a room."""
    folder = ROOT / SOURCE / room
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def find_rooms(since: str | None) -> list[str]:
    """Return the rooms of the program whose files differ from a revision."""
    changes = list_changes(ROOT, since)
    return sorted({find_room(path) for path in changes if path.startswith(f"{SOURCE}/") and path.endswith(".py")})


def list_test_folders(path: str) -> list[str]:
    """Return the tests that are asked about a module, the nearest first: those of its folder, those of its room."""
    parts = Path(path).relative_to(SOURCE).with_suffix("").parts
    room = Path("tests") / parts[0]
    nearest = [Path("tests", *parts[:depth]) for depth in range(len(parts) - 1, 1, -1)]
    lone = [Path("tests") / f"test_{parts[0]}.py"]
    found = [folder for folder in (*nearest, room, *lone) if (ROOT / folder).exists()]
    return [folder.as_posix() for folder in [*found[:1], *([room] if room in found[1:] else [])]]


def copy_repository(folder: Path) -> None:
    """Copy all files that are, or could be, committed."""
    git = shutil.which("git") or "git"
    asked = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def run_tests(copy: Path, tests: str, processes: int) -> tuple[bool, str]:
    """Tell whether tests notice a change, and the first of them that does."""
    words = ["-m", "pytest", tests, "-x", "-q", "-p", "no:cacheprovider", "-n", str(processes)]
    around = dict(os.environ) | {
        "PYTHONPATH": os.pathsep.join([str(copy / "src"), str(copy)]),
        "PYTHONDONTWRITEBYTECODE": "",
        "SEKISHO_DATA": str(SHARED),
        "NUMBA_CACHE_DIR": str(copy / ".kernels"),
    }
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=copy,
        env=around,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            told, _ = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True, f"{tests} does not end"
    failed = [line for line in told.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if process.returncode in {GREEN, NO_TESTS}:
        return False, ""
    if process.returncode != RED and not failed:
        return True, f"{tests}: status {process.returncode}: {told.strip().splitlines()[-1]}"
    return True, failed[0] if failed else tests


def try_mutation(copy: Path, mutation: Mutation, processes: int) -> str:
    """Return which test notices a mutation; empty if none of its room does."""
    path = copy / mutation.path
    text = path.read_text("utf-8")
    path.write_text(mutation.apply(text), "utf-8")
    try:
        for tests in list_test_folders(mutation.path):
            noticed, by = run_tests(copy, tests, processes)
            if noticed:
                return by
    finally:
        path.write_text(text, "utf-8")
    return ""


def draw_mutations(rooms: Sequence[str], count: int, seed: int) -> list[Mutation]:
    """Draw mutations of some rooms, all alike, without drawing one twice."""
    mutations = [
        mutation
        for room in rooms
        for path in list_files(room)
        for mutation in list_mutations(path, (ROOT / path).read_text("utf-8"))
    ]
    counts = Counter(find_room(mutation.path) for mutation in mutations)
    print(f"{len(mutations):,} mutations: {', '.join(f'{room} {many:,}' for room, many in counts.most_common())}")
    chosen = np.random.default_rng(seed).choice(len(mutations), min(count, len(mutations)), replace=False)
    return [mutations[int(at)] for at in chosen]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="mutations that no test of their room notices")
    parser.add_argument("--count", type=int, default=20, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--since", help="a revision; by default where this branch left the main one")
    parser.add_argument("--rooms", help="these rooms (a,b,c), whatever changed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="only tell which are drawn")
    return parser.parse_args()


def main() -> None:
    """Draw, try, and tell survivors."""
    asked = parse_arguments()
    rooms = asked.rooms.split(",") if asked.rooms else find_rooms(asked.since)
    if not rooms:
        print("no room changed")
        return
    drawn = draw_mutations(rooms, asked.count, asked.seed)
    if asked.list:
        print(*drawn, sep="\n")
        return
    survivors = list[Mutation]()
    with TemporaryDirectory() as name:
        copy = Path(name)
        copy_repository(copy)
        for tests in sorted({list_test_folders(mutation.path)[-1] for mutation in drawn}):
            noticed, by = run_tests(copy, tests, asked.processes)
            assert not noticed, f"these tests fail without any mutation: {by}"
        for number, mutation in enumerate(drawn, 1):
            by = try_mutation(copy, mutation, asked.processes)
            print(f"{number}/{len(drawn)} {mutation}: {by or 'SURVIVES'}", flush=True)
            survivors += [] if by else [mutation]
    print(f"{len(survivors)} of {len(drawn)} survive", *survivors, sep="\n")
    OUT.parent.mkdir(exist_ok=True)
    answer = {"seed": asked.seed, "rooms": rooms, "drawn": len(drawn), "survivors": [asdict(one) for one in survivors]}
    OUT.write_text(json.dumps(answer, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

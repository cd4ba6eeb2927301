"""How large the house is: lines, modules and functions by room, the longest chain of imports, who knows the contest.

make sizes
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median

import grimp

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sekisho"
OUTSIDE = ("contest", "server")
"""Rooms that know what a contest is by right."""


def measure_rooms() -> None:
    """Print lines, modules and functions by room, and the spread of both."""
    lines, modules, functions = Counter[str](), Counter[str](), Counter[str]()
    bodies, lengths, named = list[int](), list[int](), 0
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        text = path.read_text("utf-8")
        nodes = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        lines[room] += text.count("\n")
        modules[room] += 1
        functions[room] += len(nodes)
        lengths.append(text.count("\n"))
        bodies += [(node.end_lineno or node.lineno) - node.body[0].lineno + 1 for node in nodes]
        named += text.count('import_module("sekisho')
    for room, count in lines.most_common():
        print(f"{room:12} {modules[room]:4} modules {count:7,} lines {functions[room]:5,} functions")
    print(f"{'all':12} {modules.total():4} modules {lines.total():7,} lines {functions.total():5,} functions")
    for thing, sizes, many in (("module", lengths, 400), ("function", bodies, 40)):
        above = sum(size > many for size in sizes)
        print(f"lines of a {thing}: median {median(sizes):g}, most {max(sizes)}, above {many}: {above}")
    print(f"own modules imported by name: {named}")


def measure_imports() -> None:
    """Print the longest chain of imports, and who outside imports the contest."""
    graph = grimp.build_graph("sekisho", include_external_packages=False, exclude_type_checking_imports=True)

    @cache
    def find_chain(module: str) -> tuple[str, ...]:
        chains = [find_chain(other) for other in graph.find_modules_directly_imported_by(module)]
        return (module, *max(chains, key=len, default=()))

    longest = max((find_chain(module) for module in sorted(graph.modules)), key=len)
    print(f"longest chain of imports: {len(longest)}: {' > '.join(name.removeprefix('sekisho.') for name in longest)}")
    rooms = Counter(
        module.split(".")[1]
        for module in graph.modules
        if "." in module and module.split(".")[1] not in OUTSIDE
        if any(other.startswith("sekisho.contest") for other in graph.find_modules_directly_imported_by(module))
    )
    print(f"modules outside {' and '.join(OUTSIDE)} that import contest: {rooms.total()} {dict(rooms)}")
    folders = Counter(str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))
    deep = [name for name in folders if len(Path(name).parts) > 3]
    full = [f"{name} {count}" for name, count in folders.items() if count > 21]
    print(f"folders: {len(folders)}, deeper than three: {deep or 'none'}, of more than 20 files: {full or 'none'}")


if __name__ == "__main__":
    measure_rooms()
    measure_imports()

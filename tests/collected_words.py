"""Every sentence of ours that a user may read, found by walking the source: templates with ``{}`` for what varies.

Sentences are followed from where they are said (an error, a fault, a notice, the words of an answer) back to where they
are written: through local names, constants, the parameters of functions and the fields of classes.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path

from tests.syntax import gives_text, list_bindings, list_fields, list_parameters, list_results, name_callee

SOURCE = Path(__file__).parents[1] / "src/sekisho"
LEFT_OUT = (
    "errors.py",
    "report/",
    "server/middleware/",
    "server/metrics.py",
    "server/pages/",
    "server/vault/",
    "cli/kit/language/japanese/",
)
"""Rooms that have both languages already, and the errors, whose parts are translated one by one."""
HOLE = "{}"
MOST_WAYS = 12
"""So many ways of one sentence are written out; where there are more, its parts are collected for themselves."""
MOST_PARTS = 4
"""So many ways of a part are written out within its sentence."""
DEEPEST = 25
NAME, RULE, WORDS = "names", "rules", "words"
SAYING: dict[str, dict[int | str, str]] = {
    "ParameterError": {0: NAME, 1: RULE, "rule": RULE, "hint": WORDS},
    "InputError": {1: WORDS},
    "EncodingError": {1: WORDS},
    "InfeasibleError": {0: WORDS},
    "UnknownNameError": {0: WORDS},
    "BadParameter": {0: WORDS},
    "Fault": {"message": WORDS},
    "say": {0: WORDS},
    "settle": {"finding": WORDS},
    "tell": {0: WORDS},
    "tell_words": {0: WORDS},
    "say_interrupted": {0: WORDS},
    "show_progress": {0: WORDS},
    "watch": {"doing": WORDS, "tell": WORDS, "keep": WORDS},
    "watch_counted": {"doing": WORDS},
    "give_answer": {1: WORDS, "words": WORDS},
    "Answer": {"words": WORDS},
    "Check": {"finding": WORDS},
    "Checked": {"errors": WORDS},
    "FrameFile": {1: WORDS},
    "replace": {"words": WORDS},
}
"""Which arguments of what are said, by place or by name, and of which kind they are."""
CARRIERS = frozenset(
    {"assumption", "detail", "doing", "hint", "keep", "kept", "limit", "message", "reason", "rule", "rule_words"}
    | {"said", "tell", "told", "what", "why", "words"}
)
"""Parameters and attributes that hold words also where they are a part of a sentence; others hold names and values."""
NAMING = frozenset({"named", "cut_text", "shorten", "_shorten_line"})
"""Functions that give a name or a value of the data, not words."""
SPOKEN = frozenset(
    {
        "__str__",
        "_describe_step",
        "describe_attackers",
        "describe_coalition",
        "list_warnings",
        "promise",
        "say_hidden_totals",
    }
)
"""Functions whose every text is said, though by ways that are not followed."""
SPOKEN_LISTS = ("notices", "warnings")
"""Local lists whose every element is said."""
SPOKEN_ROOMS = ("tables/check/", "tables/files/cell_marks.py")
"""Where every function that yields texts tells what is wrong with a certificate, or what a file has no place for."""
SPOKEN_KINDS = frozenset({"CoverGap", "Direction", "GuaranteeGap", "Standing", "Verdict"})
"""Enumerations whose members stand in sentences."""
CHANGING = frozenset({"format", "lower", "removeprefix", "replace", "rstrip", "strip"})
CHOOSING = frozenset({"get", "list", "max", "min", "next", "sorted", "tuple"})
Wanted = tuple[str, str | None, int | str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands."""

    module: str
    function: ast.FunctionDef | None = None
    owner: ast.ClassDef | None = None

    def has_parameter(self, name: str) -> bool:
        """Tell whether a name is a parameter of the function around."""
        return self.function is not None and name in list_parameters(self.function)

    def bindings(self, name: str) -> list[ast.expr]:
        """Return what a name is bound to in the function around."""
        return [] if self.function is None else list(list_bindings(self.function, name))


@dataclass(slots=True)
class Index:
    """The source, by name."""

    calls: dict[str, list[tuple[Place, ast.Call]]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, list[tuple[Place, ast.FunctionDef]]] = field(default_factory=lambda: defaultdict(list))
    constants: dict[str, list[tuple[Place, ast.expr]]] = field(default_factory=lambda: defaultdict(list))
    classes: list[tuple[str, ast.ClassDef]] = field(default_factory=list[tuple[str, ast.ClassDef]])

    def add(self, node: ast.AST, place: Place) -> None:
        """Index all below a node."""
        for child in ast.iter_child_nodes(node):
            inner = place
            match child:
                case ast.FunctionDef():
                    inner = Place(place.module, child, place.owner)
                    self.functions[child.name].append((inner, child))
                case ast.ClassDef():
                    inner = Place(place.module, None, child)
                    self.classes.append((place.module, child))
                case ast.Call():
                    self.calls[name_callee(child)].append((place, child))
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if place.function is None:
                    self.constants[name].append((place, value))
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if place.function is None:
                    self.constants[name].append((place, value))
                case _:
                    pass
            self.add(child, inner)


@dataclass(slots=True)
class Collector:
    """The walk: what was found so far, and whose arguments are still to be looked at."""

    index: Index
    found: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    pending: list[Wanted] = field(default_factory=list[Wanted])
    asked: set[Wanted] = field(default_factory=set[Wanted])
    followed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    depth: int = 0

    def run(self) -> None:
        """Collect until nothing new is asked for."""
        for name, parts in SAYING.items():
            for part, kind in parts.items():
                self.ask((name, None, part, kind))
        self._collect_spoken()
        while self.pending:
            name, module, part, kind = self.pending.pop()
            for place, call in self.index.calls[name]:
                if module in (None, place.module):
                    self._collect_argument(place, call, part, kind)

    def ask(self, wanted: Wanted) -> None:
        """Have an argument of all calls of a name looked at, once; of one module's calls if it is named."""
        if wanted not in self.asked:
            self.asked.add(wanted)
            self.pending.append(wanted)

    def _collect_spoken(self) -> None:
        for name, functions in list(self.index.functions.items()):
            for place, function in functions:
                spoken_room = place.module.startswith(SPOKEN_ROOMS) and gives_text(function)
                for listed in (each for local in SPOKEN_LISTS for each in list_bindings(function, local)):
                    self.collect(listed, place, WORDS)
                if name in SPOKEN or (spoken_room and "Iterator" in ast.unparse(function.returns or function)):
                    self._collect_all(list_results(function), place, WORDS)
        for values in list(self.index.constants.values()):
            for place, value in values:
                if place.owner is not None and place.owner.name in SPOKEN_KINDS:
                    self.collect(value, place, WORDS)

    def _collect_argument(self, place: Place, call: ast.Call, part: int | str, kind: str) -> None:
        if isinstance(part, int):
            self._collect_all(call.args[part : part + 1], place, kind)
        else:
            self._collect_all((each.value for each in call.keywords if each.arg == part), place, kind)

    def _collect_all(self, expressions: Iterable[ast.expr], place: Place, kind: str) -> None:
        for expression in expressions:
            self.collect(expression, place, kind)

    def collect(self, expression: ast.expr, place: Place, kind: str) -> None:
        """Note the templates of one expression that is said."""
        for template in self.expand(expression, place, kind):
            self.note(kind, template, f"{place.module}:{expression.lineno}")

    def note(self, kind: str, template: str, where: str) -> None:
        """Note the lines of a template that are words."""
        for line in template.split("\n"):
            cells = line.split("  ") if line.startswith(HOLE) else [line]  # figures stand in their columns
            for cell in map(str.strip, cells):
                if needs_translation(cell, kind):
                    self.found.setdefault((kind, cell), where)

    def expand(self, node: ast.expr, place: Place, kind: str) -> list[str]:
        """Return the templates of an expression; one hole where it is not written here."""
        self.depth += 1
        try:
            templates = self._expand(node, place, kind) if self.depth < DEEPEST else [HOLE]
        finally:
            self.depth -= 1
        return list(dict.fromkeys(templates))

    def _expand(self, node: ast.expr, place: Place, kind: str) -> list[str]:
        templates = [HOLE]
        match node:
            case ast.Constant(value=value):
                templates = [blank_fields(value)] if isinstance(value, str) else []
            case ast.JoinedStr(values=parts):
                preceding = [None, *parts]
                templates = self._join([self._expand_part(part, preceding[at], place) for at, part in enumerate(parts)])
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                templates = self._join([self.expand(left, place, kind), self.expand(right, place, kind)])
            case ast.Name(id=name):
                templates = self._resolve(name, place, kind)
            case ast.Attribute(attr=name):
                self._follow_attribute(name, kind)
            case ast.Call():
                templates = self._expand_call(node, place, kind)
            case ast.Lambda(body=part) | ast.NamedExpr(value=part):
                templates = self.expand(part, place, kind)
            case ast.Subscript(value=part):
                templates = self.expand_elements(part, place, kind) or [HOLE]
            case ast.IfExp() | ast.BoolOp():
                templates = [each for part in _list_branches(node) for each in self.expand(part, place, kind)]
            case _:
                templates = self.expand_elements(node, place, kind) or [HOLE]
        return templates

    def _expand_part(self, part: ast.expr, before: ast.expr | None, place: Place) -> list[str]:
        """Return the templates of a part of an f-string; what is formatted is a value, not words."""
        if isinstance(part, ast.Constant):
            return [blank_fields(str(part.value))]
        if not isinstance(part, ast.FormattedValue) or part.conversion != -1 or part.format_spec is not None:
            return [HOLE]
        value = part.value
        name = (
            value.id if isinstance(value, ast.Name) and place.has_parameter(value.id) else getattr(value, "attr", None)
        )
        if name is not None and name not in CARRIERS:
            return [HOLE]
        is_rule = isinstance(before, ast.Constant) and str(before.value).endswith(" must ")
        kind = RULE if is_rule else WORDS
        templates = self.expand(value, place, kind)
        if is_rule:
            self.collect(value, place, kind)
            return [HOLE]
        if len(templates) > MOST_PARTS:
            self._note_parts(templates)
            return [HOLE]
        return templates or [HOLE]

    def _note_parts(self, templates: Iterable[str]) -> None:
        for template in templates:
            if " " in template.strip():  # a part of one word is a name
                self.note(WORDS, template, "a part of a sentence")

    def _join(self, parts: Sequence[Sequence[str]]) -> list[str]:
        if prod(max(1, len(part)) for part in parts) > MOST_WAYS:
            for part in parts:
                self._note_parts(part if len(part) > 1 else ())
            parts = [part if len(part) <= 1 else [HOLE] for part in parts]
        return ["".join(each) for each in product(*(part or [""] for part in parts))]

    def _resolve(self, name: str, place: Place, kind: str) -> list[str]:
        if place.has_parameter(name):
            self._follow_parameter(name, place, kind)
            return [HOLE]
        bound = place.bindings(name)
        if bound:
            return [each for value in bound for each in self.expand(value, place, kind)]
        constants = [each for each in self.index.constants[name] if each[0].owner is None]
        own = [each for each in constants if each[0].module == place.module] or constants[:1]
        return [each for where, value in own for each in self.expand(value, where, kind)] or [HOLE]

    def _follow_parameter(self, name: str, place: Place, kind: str) -> None:
        function, owner = place.function, place.owner
        if function is None:
            return
        names = list_parameters(function)
        at = names.index(name) - (names[0] in ("self", "cls"))
        called = owner.name if owner is not None and function.name == "__init__" else function.name
        module = place.module if called.startswith("_") else None
        self.ask((called, module, at, kind))
        self.ask((called, module, name, kind))

    def _follow_attribute(self, name: str, kind: str) -> None:
        """Follow a field or property that holds words to all classes that have one of that name."""
        # a fault's rule is a short name, said nowhere
        if name not in CARRIERS or name == "rule" or (name, kind) in self.followed:
            return
        self.followed.add((name, kind))
        for module, owner in self.index.classes:
            fields, place = list_fields(owner), Place(module, None, owner)
            if name in fields and owner.name not in SAYING:
                self.ask((owner.name, None, name, kind))
                self.ask((owner.name, None, list(fields).index(name), kind))
                self._collect_all(filter(None, [fields[name]]), place, kind)
            for part in owner.body:
                if isinstance(part, ast.FunctionDef) and part.name == name:
                    self._collect_all(list_results(part), Place(module, part, owner), kind)

    def _expand_call(self, node: ast.Call, place: Place, kind: str) -> list[str]:
        name = name_callee(node)
        if name in NAMING:
            return [HOLE]
        if isinstance(node.func, ast.Attribute) and name == "join":
            lines = isinstance(node.func.value, ast.Constant) and node.func.value.value == "\n"
            for template in [each for part in node.args for each in self.expand_elements(part, place, kind)]:
                if lines or " " in template:  # between commas, single words are names
                    self.note(kind, template, f"{place.module}:{node.lineno}")
            return [HOLE]
        if isinstance(node.func, ast.Attribute) and name in CHANGING:
            self._collect_all((keyword.value for keyword in node.keywords), place, kind)
            return self.expand(node.func.value, place, kind)
        if name in CHOOSING:
            chosen = node.func.value if name == "get" and isinstance(node.func, ast.Attribute) else node.args[0]
            return self.expand_elements(chosen, place, kind) or [HOLE]
        return self._expand_results(name, place, kind) or [HOLE]

    def _expand_results(self, name: str, place: Place, kind: str) -> list[str]:
        functions = self.index.functions[name]
        own = [each for each in functions if each[0].module == place.module]
        texts = [each for each in (own or ([] if name.startswith("_") else functions)) if gives_text(each[1])]
        return [
            each for at, function in texts for part in list_results(function) for each in self.expand(part, at, kind)
        ]

    def expand_elements(self, node: ast.expr, place: Place, kind: str) -> list[str]:
        """Return the templates of the elements of a sequence or of the values of a mapping."""
        parts = list[ast.expr]()
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
                pass
            case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part) | ast.Starred(value=part):
                parts = [part]
            case ast.Name(id=name):
                bound = [(place, each) for each in place.bindings(name)]
                where = bound or [each for each in self.index.constants[name] if each[0].module == place.module]
                return [template for at, each in where for template in self.expand(each, at, kind)]
            case ast.BinOp() | ast.IfExp() | ast.BoolOp():
                return [each for part in _list_branches(node) for each in self.expand_elements(part, place, kind)]
            case ast.Call() if name_callee(node) != "map":
                return self._expand_call(node, place, kind)
            case _:
                pass
        return [each for part in parts for each in self.expand(part, place, kind)]


def _list_branches(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.IfExp(body=first, orelse=second) | ast.BinOp(op=ast.Add(), left=first, right=second):
            return [first, second]
        case ast.BoolOp(values=values):
            return values
        case _:
            return []


def blank_fields(text: str) -> str:
    """Return a text with a bare hole for each field such as ``{value}``."""
    blanked, rest = "", text
    while "{" in rest and "}" in rest:
        head, _, rest = rest.partition("{")
        blanked, rest = blanked + head + HOLE, rest.partition("}")[2]
    return blanked + rest


def needs_translation(line: str, kind: str) -> bool:
    """Tell whether a template is words: a name of one word is none, nor is a line of figures with a letter or two."""
    literal = line.replace(HOLE, "")
    letters = sum(letter.isalpha() for letter in literal)
    if kind == NAME:
        return " " in literal and letters > 0
    if line.endswith(" must {}, not {}"):  # any name and rule are told so
        return False
    return letters > 3 if HOLE in line and kind == WORDS else letters > 0


def collect_words() -> dict[tuple[str, str], str]:
    """Return every template that can be said, by its kind (``names``, ``rules``, ``words``), and where it is written."""
    index = Index()
    for path in sorted(SOURCE.rglob("*.py")):
        module = str(path.relative_to(SOURCE))
        if not module.startswith(LEFT_OUT):
            index.add(ast.parse(path.read_text(encoding="utf-8")), Place(module))
    collector = Collector(index=index)
    collector.run()
    return collector.found

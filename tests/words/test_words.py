"""A sentence is said once, as a value, and every reader gets it in his language: none without Japanese can be built."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from sekisho import words
from sekisho.words import CATALOGUE, SEPARATORS, Language, Said, join_words, list_holes, read_catalogue, translate

SOURCE = Path(words.__file__).parents[1]
OURS = {
    "{customers:,} customers cannot form a group of {size}": "{customers:,} 人では {size} 人の組が作れません",
    "{rows:,} {rows:row is|rows are} left out": "{rows:,} 行を除きます",
    "column {name!r}: {reason}": "列 {name!r}: {reason}",
    "{name} must {rule}": "{name:~}は{rule:~}",
    "be 0 or more": "0 以上でなければなりません",
    "certificate|verdict": "判定",
    "verdict": "評決",
    "of {whole}, {part}": "{part} ({missing})",
    "first {name.first}": "最初は {name.first}",
    "the {0}": "その {0}",
}


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the catalogue hold these sentences alone."""
    monkeypatch.setattr(words, "read_catalogue", lambda: OURS)
    words.read_entry.cache_clear()
    yield
    words.read_entry.cache_clear()


@pytest.mark.usefixtures("ours")
def test_a_sentence_is_its_english_and_has_its_japanese() -> None:
    said = Said("{customers:,} customers cannot form a group of {size}", customers=1234, size=5)
    assert said == "1,234 customers cannot form a group of 5"
    assert translate(said, Language.EN) == said
    assert translate(said, Language.JA) == "1,234 人では 5 人の組が作れません"
    assert json.dumps(said) == '"1,234 customers cannot form a group of 5"'


@pytest.mark.usefixtures("ours")
def test_other_text_is_data() -> None:
    assert translate("be 0 or more", Language.JA) == "be 0 or more"


@pytest.mark.usefixtures("ours")
def test_one_and_many() -> None:
    texts = [Said("{rows:,} {rows:row is|rows are} left out", rows=rows) for rows in (1, 2000)]
    assert texts == ["1 row is left out", "2,000 rows are left out"]


@pytest.mark.usefixtures("ours")
def test_a_sentence_within_a_sentence_is_translated_and_data_are_not() -> None:
    said = Said("column {name!r}: {reason}", name="verdict", reason=Said("verdict"))
    assert translate(said, Language.JA) == "列 'verdict': 評決"


@pytest.mark.usefixtures("ours")
def test_latin_letters_stand_apart_from_japanese() -> None:
    rule = Said("be 0 or more")
    said = [Said("{name} must {rule}", name=name, rule=rule) for name in ("k", Said("verdict"))]
    assert [translate(each, Language.JA) for each in said] == [
        "k は 0 以上でなければなりません",
        "評決は 0 以上でなければなりません",
    ]


@pytest.mark.usefixtures("ours")
def test_a_context_tells_two_meanings_apart_and_is_not_shown() -> None:
    assert Said("certificate|verdict") == Said("verdict")
    assert [translate(each, Language.JA) for each in (Said("certificate|verdict"), Said("verdict"))] == ["判定", "評決"]


@pytest.mark.usefixtures("ours")
def test_words_are_joined_in_each_language() -> None:
    listed = join_words([Said("verdict"), "k", Said("be 0 or more")], ", ")
    assert listed == "verdict, k, be 0 or more"
    assert translate(listed, Language.JA) == "評決、k、0 以上でなければなりません"
    assert translate(Said("column {name!r}: {reason}", name="a", reason=listed), Language.JA).endswith(
        "評決、k、0 以上でなければなりません"
    )


@pytest.mark.usefixtures("ours")
def test_braces_of_data_are_data() -> None:
    said = Said("{name} must {rule}", name="{rule.__class__}", rule="{0}")
    assert said == "{rule.__class__} must {0}"
    assert translate(said, Language.JA) == "{rule.__class__} は {0}"


@pytest.mark.usefixtures("ours")
def test_a_sentence_survives_a_worker_a_copy_and_an_error() -> None:
    said = Said("column {name!r}: {reason}", name="a", reason=join_words([Said("verdict"), "b"], " and "))
    japanese = translate(said, Language.JA)
    for kept in (pickle.loads(pickle.dumps(said)), copy.deepcopy(said), copy.copy(said), str(ValueError(said))):
        assert kept == said
        assert translate(kept, Language.JA) == japanese


@pytest.mark.usefixtures("ours")
def test_no_sentence_is_built_without_its_japanese_or_with_other_figures() -> None:
    with pytest.raises(LookupError, match="no sentence"):
        Said("nobody said so")
    with pytest.raises(TypeError, match="the holes"):
        Said("{name} must {rule}", name="k")
    with pytest.raises(TypeError, match="the holes"):
        Said("verdict", name="k")
    with pytest.raises(TypeError, match="other holes in Japanese"):
        Said("of {whole}, {part}", whole=1, part=2)


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize("key", ["first {name.first}", "the {0}"])
def test_holes_are_names(key: str) -> None:
    with pytest.raises(TypeError, match="no name"):
        list_holes(key)


def find_template_sayings() -> list[tuple[str, ast.Call]]:
    """Return every ``said(...)`` of the server's templates with its place, as a call of ``Said``."""
    sayings = list[tuple[str, ast.Call]]()
    for path in sorted((SOURCE / "server" / "templates").rglob("*.html")):
        for node in Environment(autoescape=True).parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(node.node, nodes.Name) and node.node.name == "said":
                words = [ast.Constant(each.as_const()) for each in node.args]
                figures = [ast.keyword(each.key, ast.Constant(value=None)) for each in node.kwargs]
                sayings.append((f"{path.name}:{node.lineno}", ast.Call(ast.Name("Said"), [*words], figures)))
    return sayings


@cache
def find_sayings() -> list[tuple[str, ast.Call]]:
    """Return every call of ``Said`` in the sources with its place."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return [
        (f"{path.relative_to(SOURCE)}:{node.lineno}", node)
        for path, text in texts.items()
        if "Said(" in text and path.parent.name != "words"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Said"
    ] + find_template_sayings()


def test_every_sentence_of_the_sources_is_in_the_catalogue_with_its_figures() -> None:
    catalogue, faults = read_catalogue(), list[str]()
    for place, call in find_sayings():
        match call.args:
            case [ast.Constant(value=str() as key)] if key in catalogue:
                if list_holes(key).symmetric_difference(str(each.arg) for each in call.keywords):
                    faults.append(f"{place}: other figures than {key!r}")
            case _:
                faults.append(f"{place}: {ast.unparse(call)} is not in the catalogue")
    assert faults == []


def test_every_entry_of_the_catalogue_is_said_and_has_the_same_holes_in_both_languages() -> None:
    said = {call.args[0].value for _, call in find_sayings() if call.args and isinstance(call.args[0], ast.Constant)}
    assert sorted(read_catalogue().keys() - said) == []
    assert [key for key, japanese in read_catalogue().items() if list_holes(key) != list_holes(japanese)] == []


def test_a_sentence_stands_once_in_the_catalogue_in_order() -> None:
    keys = Counter[str]()
    for path in sorted(CATALOGUE.glob("*.json")):
        entries: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        assert json.dumps(dict(sorted(entries.items())), ensure_ascii=False, indent=1) + "\n" == path.read_text("utf-8")
        keys.update(entries.keys())
    assert [key for key, count in keys.items() if count > 1 or key in SEPARATORS] == []


PHRASE = re.compile(r"[A-Za-z]+ [a-z]+")
"""Words with a blank between them: a sentence or a part of one, not a name or a value."""


def list_plain(node: ast.expr, bound: Mapping[str, Sequence[ast.expr]]) -> Iterator[str]:
    """Give the texts that an expression may come to without being said, names followed to what they are bound to."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield from list_plain(node.func.value, {})
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for name in bound.get(node.id, ()) if isinstance(node, ast.Name) else ():
        yield from list_plain(name, {})
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
    parts += node.values if isinstance(node, ast.BoolOp) else node.values if isinstance(node, ast.Dict) else []
    parts += [node.value] if isinstance(node, ast.Subscript) else []
    for part in parts:
        yield from list_plain(part, bound)


def list_bound(body: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """Return what names are bound to by plain assignments."""
    bound = defaultdict[str, list[ast.expr]](list)
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    bound[target.id].append(node.value)
    return bound


def find_english_figures(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Give where a figure of a sentence is English that no catalogue knows, with that English."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        bound = {**list_bound(tree.body), **list_bound(ast.walk(function))}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Said":
                texts = (text for figure in node.keywords for text in list_plain(figure.value, bound))
                yield from ((node.lineno, text) for text in texts if PHRASE.search(text))


def test_no_figure_of_a_sentence_is_english_that_no_catalogue_knows() -> None:
    faults = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in find_english_figures(ast.parse(path.read_text(encoding="utf-8")))
        if not text.startswith(("sekisho gate ", "sekisho register "))  # the name of a format, which stands in files
    ]
    assert faults == []


def test_english_in_a_figure_is_found() -> None:
    source = """
KINDS = {int: "a whole number"}

def refuse(kind, names):
    least = "none is named" if not names else "x"
    Said("{a}", a=KINDS[kind])
    Said("{a}", a=", ".join(names) or "none is")
    Said("{a}", a=least)
    Said("{a}", a=Said("a category"))
"""
    found = [text for _, text in find_english_figures(ast.parse(source))]
    assert found == ["a whole number", "none is", "none is named"]


def test_verdicts_are_said_in_japanese_by_the_same_words_everywhere() -> None:
    # the desk, reports and help say 公開できます, 審査が必要です, 公開できません; what is taken away is a case, not a verdict
    helped: dict[str, str] = json.loads(Path("docs/help.ja.json").read_text(encoding="utf-8"))
    said = [*read_catalogue().values(), *helped.values()]
    assert [each for each in said if "持ち出せ" in each or re.search("(?<!社)外部?に出せ", each)] == []


PLURAL = re.compile(
    r"\{(\w+)(?::,)?\} (?:(?!of |or |and |in |if |has |from )[a-z-]+ )?"
    r"(?:people|rows|columns|candidates|cells|records|customers|groups|classes|attacks|releases|files|values)\b"
)
ON_PAGES = ("gate", "journey", "report", "server_desk*", "server_pages")
RULE = re.compile(r"(?:[a-z_]+\|)?(?:be|form|have|leave|lie) ")
NEVER_ONE = {"column", "few", "fit", "MOST_TEXTS"}
"""A name, a limit, a mean, a constant."""
SAID_OF_MANY = (
    "{rows:,} more rows than people",
    "{tried:,} records with other values are too many",
    *("All {count:,} columns", "All {records:,} people", "Nobody of {records:,} people", "About {rows:,} rows"),
)


def test_one_is_not_said_as_many_on_pages() -> None:
    paths = [path for name in ON_PAGES for path in sorted(CATALOGUE.glob(f"{name}.json"))]
    said = [key for path in paths for key in json.loads(path.read_bytes()) if not RULE.match(key)]
    faulty = [key for key in said if any(hit[1] not in NEVER_ONE for hit in PLURAL.finditer(key))]
    assert [key for key in faulty if not any(part in key for part in SAID_OF_MANY)] == []

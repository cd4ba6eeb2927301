"""The rules of the gate: what each stage gives as a reason is a rule of the policy, with its usual verdict."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sekisho.gate
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Certainty, Reason, Statement, Verdict
from sekisho.gate.policy import POLICY_RULES, Policy, list_exceeded, make_reason
from sekisho.words import Said

ROOT = Path(sekisho.gate.__file__).parent

WORDS = Said("nobody has tried to find people in it")


def list_reasons() -> set[tuple[str, str | None]]:
    """Return rule and verdict of every reason that the source of the gate spells out."""
    given: set[tuple[str, str | None]] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "make_reason" and node.args and isinstance(node.args[0], ast.Constant):
                given.add((str(node.args[0].value), None))
            if node.func.id == "Reason":
                words = {item.arg: item.value for item in node.keywords}
                rule, verdict = words.get("rule"), words.get("verdict")
                if isinstance(rule, ast.Constant) and isinstance(verdict, ast.Attribute):
                    given.add((str(rule.value), verdict.attr.lower()))
    return given


def test_every_reason_is_a_rule_of_the_policy_with_its_usual_verdict() -> None:
    given = list_reasons()
    assert len(given) > 10
    for rule, verdict in given:
        assert rule in POLICY_RULES, rule
        assert verdict in (None, POLICY_RULES[rule].usual.value), rule


def test_a_policy_changes_what_it_names_and_nothing_else() -> None:
    reasons = (make_reason("limit exceeded", WORDS), make_reason("no attack", WORDS))
    judged = Policy(verdicts={"limit exceeded": Verdict.REFUSE}).judge(reasons)
    assert [reason.verdict for reason in judged] == [Verdict.REFUSE, Verdict.REVIEW]
    assert Policy().judge(reasons) == reasons
    assert judged[0].as_dict() == {"rule": "limit exceeded", "verdict": "refuse", "detail": WORDS}


def test_the_documentation_lists_every_rule_with_its_verdicts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "recipe.md").read_text()
    for name, rule in POLICY_RULES.items():
        assert f"| `{name}` | {rule.meaning} | {rule.usual} | {rule.mildest} |" in page


def test_a_promise_says_what_it_rests_on() -> None:
    with pytest.raises(ValueError, match="assumes must say what a promise rests on, not ''"):
        Statement(standing=Certainty.PROMISED, subject="a", detail=WORDS)
    assert Statement(standing=Certainty.PROVEN, subject="a", detail=WORDS).as_dict()["standing"] == "proven"
    assert Reason(rule="r", verdict=Verdict.RELEASE, detail=WORDS).verdict is Verdict.RELEASE


def test_a_limit_of_what_is_not_measured_is_refused() -> None:
    # at .2 a limit of .2 is kept, one of .1 is not; of what nobody measured every release would keep it
    assert not list(list_exceeded({"ncp": 0.2}, {"ncp": 0.2}))
    (reason,) = list_exceeded({"ncp": 0.1}, {"ncp": 0.2, "marginals": 0.0})
    assert reason.rule == "limit exceeded"
    with pytest.raises(ParameterError, match=r"limits.correlations must be of ncp, marginals"):
        list(list_exceeded({"correlations": 0.1}, {"ncp": 0.2, "marginals": 0.0}))

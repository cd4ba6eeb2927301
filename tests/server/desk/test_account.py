"""What leaves, and why it may: the account of a run on the pages, and each open column answered by one click."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_run_page import wait

from sekisho.data.frame.dataset import Role
from sekisho.gate.account.account import UNSAID, Account, AccountEntry, Unit, UnitOrigin
from sekisho.gate.account.answers import AccountAnswer, list_answers
from sekisho.gate.account.records import APART, OVERLOOKED, UNGUARDED, UNLEARNT
from sekisho.safety.cover import Coverage
from sekisho.server.desk.account_view import show_account
from sekisho.server.desk.answers import find_given, list_answer_edits, list_offered_reasons
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import DeskEdit, apply_edits, set_role
from sekisho.server.desk.runs.details import describe_account
from sekisho.words import Said

ROWS = "who,sex,city,ill,ward,shift\n" + "".join(
    f"p{row},{'fm'[row % 2]},{'abc'[row // 2 % 3]},{('flu', 'none', 'cold')[row // 6 % 3]},{'NS'[row // 18 % 2]},"
    f"{'de'[row // 36 % 2]}\n"
    for row in range(144)
)
RECIPE = """title = "people"
shape = "records"
original = "people.csv"
schema = "schema.toml"
seed = 1

[[methods]]
name = "partition"
k = 5

[[adversaries]]
name = "prosecutor"

[guarantees]
k = 5
"""
SCHEMA = """shape = "records"

[[columns]]
name = "who"
role = "identifier"

[[columns]]
name = "sex"
role = "quasi"

[[columns]]
name = "city"
role = "quasi"

[[columns]]
name = "ill"
role = "sensitive"

[[columns]]
name = "ward"
role = "other"

[[columns]]
name = "shift"
role = "other"
"""
FILES = {"recipe.toml": RECIPE.encode(), "schema.toml": SCHEMA.encode()}
REASON = "two shifts, each of 72 people"


def read(files: dict[str, bytes], name: str) -> dict[str, object]:
    return tomllib.loads(files[name].decode())


def find_role(files: dict[str, bytes], column: str) -> object:
    columns = read(files, "schema.toml")["columns"]
    assert isinstance(columns, list)
    return next((one["role"] for one in columns if one["name"] == column), None)


@pytest.mark.parametrize(
    ("column", "answer", "role"),
    [
        ("ward", AccountAnswer.KEY, "quasi"),
        ("ward", AccountAnswer.SENSITIVE, "sensitive"),
        ("ward", AccountAnswer.HARMLESS, "other"),
        ("ward", AccountAnswer.DROP, None),
        ("ill", AccountAnswer.DIVERSE, "sensitive"),
        ("ill", AccountAnswer.LEARNABLE, "sensitive"),
        ("sex", AccountAnswer.ALIKE, "quasi"),
    ],
)
def test_each_answer_writes_what_it_says_and_is_seen_to_be_given(
    column: str, answer: AccountAnswer, role: str | None
) -> None:
    files = {**FILES, "recipe.toml": RECIPE.replace("\n[guarantees]\nk = 5\n", "").encode()}
    assert find_given(files, column, (answer,)) is None
    changed = apply_edits(files, list_answer_edits(files, column, answer, REASON))
    assert find_given(changed, column, (answer,)) is answer
    assert find_role(changed, column) == role
    recipe = read(changed, "recipe.toml")
    reasons = {key: recipe[key] for key in ("harmless", "learnable") if key in recipe}
    assert reasons == (
        {answer.value: {column: REASON}} if answer in {AccountAnswer.HARMLESS, AccountAnswer.LEARNABLE} else {}
    )
    wanted = {AccountAnswer.ALIKE: {"k": 5}, AccountAnswer.DIVERSE: {"l": 2}}.get(answer)
    assert recipe.get("guarantees") == wanted


def test_a_reason_goes_with_the_role_that_it_was_given_for() -> None:
    """A harmless column that becomes a key would else stay harmless, as a reason wins over a role."""
    files = apply_edits(FILES, list_answer_edits(FILES, "shift", AccountAnswer.HARMLESS, REASON))
    files |= {"schema.toml": files["schema.toml"] + f'\n[harmless]\nward = "{REASON}"\n'.encode()}
    for column, role in (("shift", Role.QUASI), ("ward", None)):
        files = apply_edits(files, set_role(files, (), column, role))
    assert not read(files, "recipe.toml")["harmless"]
    assert not read(files, "schema.toml")["harmless"]


def test_the_reason_that_a_schema_offers_stands_in_the_field_to_be_signed() -> None:
    """As init writes it: lines behind marks, the last of the file or before columns that are left out."""
    entry = {"subject": "ward", "cover": "open", "by": "x", "alone": None, "answers": ["harmless", "drop"]}
    told = {"words": {}, "closed": False, "attackers": False, "least": None, "entries": [entry]}
    reasons = '\n# [harmless]\n# "the ward" = "one"\n# ward = "one and the same value"\n'
    for after, before in (("", ""), ("\n# name: free text\n# [[columns]]\n", "\n# x = 1\n")):
        files = {**FILES, "schema.toml": f"{SCHEMA}{before}{reasons}{after}".encode()}
        assert list_offered_reasons(files) == {"the ward": "one", "ward": "one and the same value"}
        shown = show_account(told, files)
        assert shown is not None
        assert shown.entries[0].offered == "one and the same value"
    assert not list_offered_reasons(FILES)
    signed = {**FILES, "schema.toml": f"{SCHEMA}{reasons.replace('# [', '[')}".encode()}
    assert not list_offered_reasons(signed)


def test_what_an_account_tells_is_in_the_words_of_controls() -> None:
    entries = (
        AccountEntry(subject="age", cover=Coverage.KEYED, by=Said("k = {k:g}, counted", k=5.0), figure=5.0),
        AccountEntry(subject="birth", cover=Coverage.OPEN, by=UNSAID, alone=7),
        AccountEntry(subject="ill", cover=Coverage.OPEN, by=UNLEARNT, alone=2),
    )
    unit = Unit(origin=UnitOrigin.SAID, people=9, rows=9)
    told = describe_account(Account(unit=unit, entries=entries), asked=("k-anonymity", "l-diversity"))
    assert told is not None
    assert not re.search(r"--|\bkeys\b|sensitive, harmless", told["words"]["en"])
    assert "“others may know it”" in told["words"]["en"]
    assert "「他人が知りうる」" in told["words"]["ja"]
    answers = {entry["subject"]: entry["answers"] for entry in told["entries"]}
    assert answers == {
        "age": [],
        "birth": ["key", "sensitive", "harmless", "drop"],
        "ill": ["learnable", "drop"],  # that l is asked for and not kept: asking again closes nothing
    }
    assert describe_account(Account.of_round()) is None


@pytest.mark.parametrize(
    "by", [UNSAID, UNLEARNT, UNGUARDED, OVERLOOKED, APART, Said("nobody accounted for what leaves")]
)
def test_every_open_column_has_an_answer(by: Said) -> None:
    entry = AccountEntry(subject="x", cover=Coverage.OPEN, by=by)
    assert AccountAnswer.DROP in list_answers(entry)
    assert not list_answers(AccountEntry(subject="x", cover=Coverage.NOT_CONSIDERED, by=by))


def make_case(folder: Path) -> Case:
    (folder / "people.csv").write_text(ROWS)
    case = DeskFolder(folder / "desk").create(folder / "people.csv")
    original = tomllib.loads(case.versions.read().files["recipe.toml"].decode())["original"]
    recipe = RECIPE.replace('original = "people.csv"', f'original = "{original}"')
    edits = (DeskEdit(file="recipe", value=recipe), DeskEdit(file="schema", value=SCHEMA))
    case.versions.write(edits, based_on=case.versions.head)
    return case


def run(client: DeskClient, case: Case) -> str:
    client.post(f"/cases/{case.name}/run/start", {"v": str(case.versions.head)})
    return unescape(wait(client, case))


def answer(client: DeskClient, case: Case, column: str, what: AccountAnswer, reason: str = "") -> tuple[int, str]:
    """Send the form of a column as it stands on the page."""
    page = unescape(client.send("GET", f"/cases/{case.name}/run").text)
    forms: list[str] = re.findall(r'<form[^>]*/account".*?</form>', page, re.DOTALL)
    form = next(one for one in forms if f'name="column" value="{column}"' in one and f'value="{what.value}"' in one)
    assert ('name="reason"' in form) == bool(reason)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
    sent = {**hidden, "answer": what.value, **({"reason": reason} if reason else {})}
    back = client.post(f"/cases/{case.name}/account", sent)
    return back.status_code, back.headers.get("location", "")


def list_waiting(page: str) -> set[str]:
    return set(re.findall(r'/account".*?name="column" value="([^"]+)"', page))


def test_an_open_account_is_closed_by_clicks_alone(tmp_path: Path) -> None:
    """Three columns are open: one is left out, one harmless, of the sensitive one l is asked; then it may leave."""
    case, client = make_case(tmp_path), open_desk(tmp_path / "desk")
    page = run(client, case)
    part = page[page.index('id="account"') :].partition("</section>")[0]
    assert "2 columns leave and nobody said what they are: ward, shift" in part
    assert list_waiting(part) == {"ill", "ward", "shift"}
    rows = re.findall(r'<tr><th scope="row"><bdi>(\w+)</bdi></th><td[^>]*><span class="badge (\w+)">', part)
    assert rows[:3] == [("ill", "warn"), ("ward", "warn"), ("shift", "warn")]
    assert set(rows[3:]) == {("sex", "plain"), ("city", "plain"), ("who", "plain")}
    assert not re.search(r"--\w|sekisho ", re.sub(r"<[^>]*>", "", part))
    first = case.versions.head
    decide = unescape(client.send("GET", f"/cases/{case.name}/decide").text)
    assert decide.count("nobody said what they are") == 1  # in the verdict, and not again above the table
    assert "(say keys" not in decide
    assert list_waiting(decide) == {"ill", "ward", "shift"}

    assert answer(client, case, "ward", AccountAnswer.DROP) == (
        303,
        f"{client.entrance.prefix}/cases/{case.name}/run#account",
    )
    page = unescape(client.send("GET", f"/cases/{case.name}/run").text)
    assert f"So it was in the run of version {first}. 2 entries wait for an answer." in page
    assert list_waiting(page) == {"ill", "shift"}
    assert answer(client, case, "shift", AccountAnswer.HARMLESS, "x")[0] == 422  # no sentence
    assert case.versions.head == first + 1
    assert answer(client, case, "shift", AccountAnswer.HARMLESS, REASON)[0] == 303
    assert answer(client, case, "ill", AccountAnswer.DIVERSE)[0] == 303
    assert "Everything has an answer: run it again." in unescape(client.send("GET", f"/cases/{case.name}/run").text)

    page = run(client, case)
    part = page[page.index('id="account"') :].partition("</section>")[0]
    assert 'class="verdict good"' in part
    assert "are accounted for" in part
    assert REASON in part
    assert not list_waiting(part)
    decide = unescape(client.send("GET", f"/cases/{case.name}/decide").text)
    assert 'id="account"' in decide
    assert "/decide/release" in decide
    compared = client.send("GET", f"/cases/{case.name}/versions?old={first}&new={case.versions.head}").text
    row = compared[compared.index("left open by the account") :].partition("</tr>")[0]
    assert re.findall(r'<td class="number">(\d+)</td>', row) == ["3", "0"]
    ja = unescape(client.send("GET", f"/cases/{case.name}/run", headers={"accept-language": "ja"}).text)
    assert "公開されるものと、その根拠" in ja


def test_an_answer_to_a_column_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    case, client = make_case(tmp_path), open_desk(tmp_path / "desk")
    head = case.versions.head
    for fields, status in (({"column": "nobody", "answer": "key"}, 422), ({"column": "ward", "answer": "yes"}, 422)):
        sent = client.post(f"/cases/{case.name}/account", {"v": str(head), **fields})
        assert sent.status_code == status
    assert case.versions.head == head

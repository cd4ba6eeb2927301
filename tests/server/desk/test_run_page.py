"""Aim and run: each control is one line, a run is started, watched, cancelled and looked at, whatever its state."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.data.shape import Shape
from sekisho.errors import FaultsError
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import apply_edits, set_key, set_methods, set_role
from sekisho.server.desk.pages.aims import AimForm, Aims
from sekisho.server.desk.plain_data import write_plain
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.runs.orders import CANCELLED, FAILURE, ORDER, RunOrder
from sekisho.server.desk.runs.progress import PROGRESS, CandidateStep, ProgressLog
from sekisho.server.desk.shown import find_run_folder

PEOPLE = "who,sex,age,city,ill\n" + "".join(
    f"p{row},{'fm'[row % 2]},{20 + row * 7 % 30},{'abc'[row % 3]},{('flu', 'none', 'cold')[row * 5 % 7 % 3]}\n"
    for row in range(60)
)
SECONDS = 900.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def make_case(folder: Path, name: str = "people.csv") -> Case:
    return DeskFolder(folder / "desk").create(folder / name)


def list_fields(page: str) -> dict[str, list[str]]:
    """Return the fields of the form of aims as a browser would send them."""
    form = page[page.index('class="aims"') :].partition("</form>")[0]
    fields: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        ticked = not re.search(r'type="(checkbox|radio)"', tag) or " checked" in tag
        if name and ticked:
            fields.setdefault(unescape(name[1]), []).append(unescape(value[1]) if value else "")
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form):
        chosen = re.search(r'value="([^"]*)" selected', options)
        fields[name] = [chosen[1] if chosen else ""]
    return fields


def change(client: DeskClient, case: Case, **fields: str | list[str]) -> int:
    """Change controls of the page as it is, and return the status."""
    sent = list_fields(client.send("GET", f"/cases/{case.name}/run").text)
    sent |= {name.replace("__", "."): [value] if isinstance(value, str) else value for name, value in fields.items()}
    del sent["token"]
    return client.post(f"/cases/{case.name}/run/aim", sent).status_code


def read_recipe(case: Case) -> dict[str, object]:
    return tomllib.loads(case.versions.read().files["recipe.toml"].decode())


def wait(client: DeskClient, case: Case) -> str:
    """Return the page once the run of the current version is over."""
    end = monotonic() + SECONDS
    folder = find_run_folder(case, case.versions.read())
    while monotonic() < end:
        run = client.app.state.desk.runs.find(folder)
        if run is not None and run.state.is_over:
            return client.send("GET", f"/cases/{case.name}/run").text
        sleep(0.2)
    raise TimeoutError


def test_a_page_sent_as_it_is_changes_nothing(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    assert change(client, case) == 303
    assert case.versions.head == 1


@pytest.mark.parametrize(
    ("fields", "place", "value"),
    [
        ({"k": "7"}, ("guarantees", "k"), 7),
        ({"k__slide": "9"}, ("guarantees", "k"), 9),
        ({"t": "0.4"}, ("guarantees", "t"), 0.4),
        ({"risk": "12.5"}, ("risk",), 0.125),
        ({"preset": "japan-anonymously-processed"}, ("preset",), "japan-anonymously-processed"),
        ({"limit__ncp": "0.3"}, ("limits", "ncp"), 0.3),
        ({"find": "partition", "find__low": "3", "find__high": "9"}, ("find",), {"method": "partition", "k": [3, 9]}),
        ({"adversaries": ["", "prosecutor"]}, ("adversaries",), [{"name": "prosecutor"}]),
        ({"keep": ["", '["column", "age"]', '["column", "city"]']}, ("keep",), ["age", "city"]),
    ],
)
def test_each_control_is_one_line(folder: Path, fields: dict[str, str], place: tuple[str, ...], value: object) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    assert change(client, case, **fields) == 303
    here: object = read_recipe(case)
    for part in place:
        assert isinstance(here, dict)
        here = here[part]
    assert here == value
    assert case.versions.head == 2
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert re.search('<li class="(new|old)"', page)
    case.versions.undo()
    assert case.versions.head == 1


def test_what_is_kept_is_one_line_that_grows_and_shrinks(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    place = f"/cases/{case.name}/run"

    def add(**fields: str) -> int:
        page = client.send("GET", place).text
        form = page[page.index('class="keep"') :].partition("</form>")[0]
        hidden = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))
        return client.post(f"{place}/keep", {**hidden, **fields}).status_code

    assert change(client, case, keep=["", '["column", "age"]']) == 303
    assert add(kind="pair", column="age", other="city", within="0.1") == 303
    assert add(kind="sum", column="age", other="city", within="") == 303
    said = ["age", {"pair": ["age", "city"], "within": 0.1}, {"sum": "age", "by": "city"}]
    assert read_recipe(case)["keep"] == said
    page = client.send("GET", place).text
    assert "keep = [&#34;age&#34;" in page
    assert "association of age and city" in page
    head = case.versions.head
    assert change(client, case) == 303  # as it is
    assert case.versions.head == head
    assert add(kind="pair", column="city", other="age", within="") == 422
    assert add(kind="pair", column="age", other="", within="") == 422
    assert add(kind="sum", column="who", other="", within="x") == 422
    assert add(kind="eval", column="age", other="", within="") == 422
    assert case.versions.head == head
    fields = {'keep.within ["pair", "age", "city"]': "0.2"}
    sent = list_fields(client.send("GET", place).text) | {name: [value] for name, value in fields.items()}
    del sent["token"]
    assert client.post(f"{place}/aim", sent).status_code == 303
    assert read_recipe(case)["keep"] == [said[0], {"pair": ["age", "city"], "within": 0.2}, said[2]]
    assert change(client, case, keep=["", '["sum", "age", "city"]']) == 303
    assert read_recipe(case)["keep"] == [{"sum": "age", "by": "city"}]
    assert change(client, case, keep=[""]) == 303
    assert "keep" not in read_recipe(case)


def test_a_column_that_is_left_out_is_kept_no_more(folder: Path) -> None:
    files = make_case(folder).versions.read().files
    kept = apply_edits(files, set_key("keep", ["age", "city × ill", {"sum": "age", "by": "city"}, 3]))
    assert apply_edits(kept, set_role(kept, [], "ill", None))["recipe.toml"].decode().count("city × ill") == 0
    gone = tomllib.loads(apply_edits(kept, set_role(kept, [], "city", None))["recipe.toml"].decode())
    assert gone["keep"] == ["age", 3]
    assert b"keep" not in apply_edits(files, set_role(files, [], "city", None))["recipe.toml"]


def test_what_cannot_be_read_changes_nothing_and_is_told_at_once(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    assert change(client, case, k="many", find="partition", find__low="9", find__high="3") == 422
    assert case.versions.head == 1
    files = case.versions.read().files
    form = AimForm(
        fields={"k": ["many"], "find": ["partition"], "find.low": ["9"], "find.high": ["3"], "preset": ["no such"]},
        files=files,
        aims=Aims.read(files, case.folder),
        faults=[],
    )
    with pytest.raises(FaultsError) as caught:
        form.list_edits()
    assert {fault.column for fault in caught.value.faults} == {"k", "find.k", "preset"}
    assert change(client, case, k="5.5") == 422  # and not k = 5
    assert change(client, case, suppress="2.5") == 303
    assert case.versions.head == 2


def test_a_double_click_is_one_version_and_a_page_that_came_back_may_ask_for_more(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    sent = list_fields(client.send("GET", f"/cases/{case.name}/run").text)
    del sent["token"]
    for _ in range(2):
        assert client.post(f"/cases/{case.name}/run/aim", {**sent, "k": ["7"]}).status_code == 303
    assert case.versions.head == 2
    assert client.post(f"/cases/{case.name}/run/aim", {**sent, "risk": ["30"]}).status_code == 303
    assert (read_recipe(case)["risk"], Aims.read(case.versions.read().files, folder).numbers[0].value) == (0.3, 7)
    assert client.post(f"/cases/{case.name}/run/aim", {**sent, "k": ["9"]}).status_code == 409
    assert case.versions.head == 3


def test_a_single_release_is_compared_with_others_by_one_click(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    case.versions.write(set_methods([{"name": "partition", "k": 3}]), based_on=1)
    client.post(f"/cases/{case.name}/run/start", {"v": "2"})
    page = wait(client, case)
    assert "One release so far" in page
    form = page[: page.index("Compare it with k up to 12")].rpartition("<form")[2]
    fields = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', form))
    assert client.post(f"/cases/{case.name}/run/aim", fields).status_code == 303
    assert read_recipe(case)["find"] == {"method": "partition", "k": [3, 12]}
    assert (case.versions.head, read_recipe(case)["methods"]) == (3, [{"name": "partition", "k": 3}])
    assert "Compare it with" not in client.send("GET", f"/cases/{case.name}/run").text
    other = make_case(folder)  # two ways to protect are compared already
    other.versions.write(set_methods([{"name": "partition", "k": 3}, {"name": "pram", "k": 3}]), based_on=1)
    assert Aims.read(other.versions.read().files, folder).wider is None
    history = {"recipe.toml": b'shape = "history"\n[[methods]]\nname = "groups"\nk = 7\n'}
    assert Aims.read(history, folder).wider == ("groups", 7, 28)


def test_who_attacks_and_what_methods_do_is_said_in_plain_words() -> None:
    for shape in (b"records", b"history"):
        aims = Aims.read({"recipe.toml": b'shape = "%s"\n' % shape}, Path())
        assert all(one.hint for one in (*aims.adversary_choices, *aims.method_choices))
    strange = Aims.read({"recipe.toml": b'shape = "records"\n[[methods]]\nname = "noise"\n'}, Path()).method_choices
    assert [(one.name, one.chosen, one.hint) for one in strange][-1] == ("noise", True, "")  # the recipe's own is kept


def test_methods_keep_what_the_recipe_says_of_them() -> None:
    files = {"recipe.toml": b'shape = "records"\n[[methods]]\nname = "partition"\nk = 4\nl = 2\n[guarantees]\nk = 4\n'}
    aims = Aims.read(files, Path())
    assert aims.shape is Shape.RECORDS
    form = AimForm(fields={"methods": ["", "partition", "lattice"]}, files=files, aims=aims, faults=[])
    recipe = tomllib.loads(apply_edits(files, form.list_edits())["recipe.toml"].decode())
    assert recipe["methods"] == [{"name": "partition", "k": 4, "l": 2}, {"name": "lattice", "k": 4}]


def test_a_run_from_the_page_to_its_candidates(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    ways = [{"name": "partition", "k": k} for k in (3, 12)]  # far apart on any seed
    edits = (*set_methods(ways), *set_key("people", 30))
    case.versions.write(edits, based_on=1)
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert "No run of this version yet." in page
    for _ in range(2):  # a double click
        assert client.post(f"/cases/{case.name}/run/start", {"v": "2"}).status_code == 303
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert 'hx-trigger="every 1s"' in page
    assert '<meta http-equiv="refresh" content="2">' in page
    page = wait(client, case)
    assert "every 1s" not in page
    assert "http-equiv" not in page
    assert page.count('name="candidate"') == 2
    assert page.count("&amp;candidate=") >= 2
    assert "To the decision" in page
    rows = client.send("GET", f"/cases/{case.name}/run?candidate=0&rows=0&language=ja").text
    assert "行を並べて見る" in rows
    assert "p17" not in rows  # who it is stays masked
    report = client.send("GET", f"/cases/{case.name}/report")
    assert "script-src" not in report.headers["content-security-policy"]
    assert "sha256-" in report.headers["content-security-policy"]
    assert '<html lang="en"' in report.text
    japanese = client.send("GET", f"/cases/{case.name}/report?language=ja").text
    assert '<html lang="ja"' in japanese
    assert 'id="in-ja" checked>' in japanese
    assert japanese.count("checked>") == report.text.count("checked>")
    again = client.send("GET", f"/cases/{case.name}/run", headers={"hx-request": "true", "hx-trigger": "progress"})
    assert (again.status_code, again.headers["HX-Refresh"]) == (204, "true")
    assert change(client, case, k="6") == 303
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert "Not of this version: the last run is of version 2." in page
    compared = client.send("GET", f"/cases/{case.name}/versions?old=2&new=3").text
    figures = compared.partition("What came of each")[2].partition("</table>")[0]
    best = client.app.state.desk.runs.find(find_run_folder(case, case.versions.read(2)))
    card = best.candidates[best.outcome["best"]]
    assert re.search(rf'<td class="number">{card["loss"]:.4f}</td><td class="number">–</td>', figures)  # 3 was not run
    assert f'<td class="number">{card["risk"]:.1%}</td>' in figures


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ("", "Interrupted at 0 of 3. Go on?"),
        (CANCELLED, "Cancelled by you: 0 of 3 are kept."),
        (FAILURE, "It needs more memory than it may take."),
    ],
)
def test_a_run_that_did_not_end_says_why_and_goes_on(folder: Path, left: str, words: str) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    version = case.versions.read()
    order = RunOrder.of(
        case=case.name, recipe=version.recipe, runs=case.runs, steps=case.steps, original=case.original.sha256
    )
    order.folder.mkdir(parents=True)
    write_plain({order.folder / ORDER: order.pack()})
    log = ProgressLog(order.folder / PROGRESS)
    log.begin(["a", "b", "c"])
    log.tell(CandidateStep(number=0, label="a", seconds=1.0))
    if left:
        write_plain({order.folder / left: {"key": "memory"}})
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert words in page
    assert "Go on" in page
    assert "did not come to an end" in client.send("GET", f"/cases/{case.name}/decide").text


def test_after_a_lack_of_memory_one_process_has_all_of_it(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    order = RunOrder(
        case=case.name,
        recipe=case.versions.read().recipe,
        folder=find_run_folder(case, case.versions.read()),
        steps=case.steps,
        memory=1 << 26,
        jobs=4,
    )
    order.folder.mkdir(parents=True)
    write_plain({order.folder / ORDER: order.pack(), order.folder / FAILURE: {"key": "memory"}})
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert "It was made in 4 processes at once" in page
    client.app.state.desk.runs.command = ("true",)
    assert client.post(f"/cases/{case.name}/run/start", {"v": "1"}).status_code == 303
    run = client.app.state.desk.runs.find(order.folder)
    assert run.order.jobs == 1
    assert run.order.memory > order.memory


def test_a_run_that_waits_or_is_under_way_can_be_cancelled(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    runs = client.app.state.desk.runs
    runs.command = ("sleep",)
    object.__setattr__(runs, "at_once", 0)
    client.post(f"/cases/{case.name}/run/start", {"v": "1"})
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert "Waits: 0 before it." in page
    assert "A run is under way" in client.send("GET", f"/cases/{case.name}/decide").text
    client.post(f"/cases/{case.name}/run/cancel", {"v": "1"})
    run = runs.find(find_run_folder(case, case.versions.read()))
    assert run is not None
    assert run.state is RunState.CANCELLED


def test_a_file_that_changed_is_not_run(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    (folder / "people.csv").write_text(PEOPLE + "p60,f,30,a,flu\n")
    answer = client.post(f"/cases/{case.name}/run/start", {"v": "1"})
    assert answer.status_code == 409
    assert "The file has changed since it was read" in answer.text
    assert client.app.state.desk.runs.find(find_run_folder(case, case.versions.read())) is None


def test_a_recipe_that_is_wrong_says_all_of_it_and_is_not_run(folder: Path) -> None:
    case, client = make_case(folder), open_desk(folder / "desk")
    case.versions.write((*set_key("risk", 7), *set_key("utility", "no such")), based_on=1)
    page = client.send("GET", f"/cases/{case.name}/run").text
    assert "The recipe cannot be run as it is." in page
    assert "<code>utility</code>" in page
    assert client.post(f"/cases/{case.name}/run/start", {"v": "2"}).status_code == 409

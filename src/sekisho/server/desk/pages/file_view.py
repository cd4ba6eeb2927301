"""What the page of a file shows: its columns as a version reads them, asked ones first, and how the file is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.shape import Shape
from sekisho.server.desk.cases import Case
from sekisho.server.desk.edits import Files, read_keys
from sekisho.server.desk.frame import RecipeLine
from sekisho.server.desk.pages.table_edits import find_part
from sekisho.server.desk.plain_data import Plain, read_plain, write_plain
from sekisho.server.desk.shown import ANSWERS, CONFIRMED, is_file_confirmed
from sekisho.words import Language, Said, translate

OUT = "out"
CHIPS: Mapping[str, Said] = {
    "who": Said("chip|who it is"),
    "known": Said("known to others"),
    "secret": Said("chip|must stay hidden"),
    "home": Said("who lives together"),
    "free": Said("harmless, if you say why"),
    OUT: Said("leave out"),
}
"""What a column of people is, as a person says it."""
ROLES: Mapping[str, Role | None] = {
    "who": Role.IDENTIFIER,
    "known": Role.QUASI,
    "secret": Role.SENSITIVE,
    "home": Role.HOUSEHOLD,
    "free": Role.OTHER,
    OUT: None,
}
PARTS: Mapping[str, Said] = {
    "dims": Said("rows or columns of the table"),
    "value": Said("what is summed"),
    "contributor": Said("whose a row is"),
    OUT: Said("not used"),
}
"""What a column of a table is."""
TONES = {"who": "rule", "secret": "secret", OUT: "rule", "contributor": "rule"}
KINDS: Mapping[str, Said] = {
    Kind.CATEGORY: Said("kind|text"),
    Kind.INTEGER: Said("kind|whole number"),
    Kind.DECIMAL: Said("kind|number"),
    Kind.DATE: Said("kind|date"),
}
MEANINGS: Mapping[str, Said] = {
    "": Said("means|nothing of these"),
    Meaning.TIME: Said("means|when it was"),
    Meaning.ITEM: Said("means|what it was about"),
    Meaning.PRICE: Said("means|how much was paid"),
    Meaning.QUANTITY: Said("means|how many"),
}
SHAPES: Mapping[str, tuple[Said, Said]] = {
    Shape.RECORDS: (Said("shape|Records"), Said("one row a person")),
    Shape.HISTORY: (Said("shape|History"), Said("many rows a person: purchases, visits")),
    Shape.TABLE: (Said("shape|Table"), Said("cells with totals, or firms to be tabulated")),
}
WIDTH, HEIGHT, TALLEST = 120.0, 40.0, 38.0
READ_BY = ("kind", "format", "missing", "missing_texts", "decimals")
"""What decides how the cells of a column are read."""
LEFT_OUT = Said("(left out)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureBar:
    """A bar of a small picture, as SVG places it."""

    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnView:
    """A column as the page shows it.

    Attributes:
        place: in the file, from 0.
        name: of the column.
        chip: which of the chips is chosen.
        proposed: which was proposed.
        asked: whether an answer is waited for.
        said: whether a person said what it is.
        why: reasons, in the reader's language.
        kind: of its values; empty while nobody has looked.
        distinct: how many different ones there are; None while they are counted.
        missing: how many cells are missing.
        values: the different ones, where they are few.
        bars: of its picture.
        form: of its dates or numbers, where it is its own.
        missing_texts: texts that mean missing.
        means: of a history, what it says of an event.
        read: whether the version reads it.
    """

    place: int
    name: str
    chip: str
    proposed: str
    asked: bool
    said: bool
    why: tuple[str, ...]
    kind: str = ""
    distinct: int | None = None
    missing: int = 0
    values: tuple[str, ...] = ()
    bars: tuple[PictureBar, ...] = ()
    form: str = ""
    missing_texts: tuple[str, ...] = ()
    means: str = ""
    read: bool = True

    @property
    def kind_words(self) -> Said | str:
        """What its values are, in words."""
        return KINDS.get(self.kind, "")

    @property
    def tone(self) -> str:
        """The colour of its picture."""
        return TONES.get(self.chip, "muted")


def draw_bars(bins: Sequence[int]) -> tuple[PictureBar, ...]:
    """Return the bars of a small picture without axes."""
    most = max(bins, default=0)
    if not most:
        return ()
    step = WIDTH / len(bins)
    return tuple(
        PictureBar(
            x=f"{place * step + 0.6:.1f}",
            y=f"{HEIGHT - count / most * TALLEST:.1f}",
            width=f"{step - 1.2:.1f}",
            height=f"{count / most * TALLEST:.1f}",
        )
        for place, count in enumerate(bins)
        if count
    )


def read_answers(case: Case) -> Mapping[str, str]:
    """Return by column what a person said or confirmed."""
    kept = (read_plain(case.folder / ANSWERS) or {}).get("columns", {})
    return {str(name): str(chip) for name, chip in kept.items()} if isinstance(kept, dict) else {}


def note_answers(case: Case, chips: Mapping[str, str], *, is_confirmed: bool = False) -> None:
    """Keep what a person said of columns, and that all of them were confirmed; no recipe says that."""
    if chips or is_confirmed:
        kept = {CONFIRMED: is_confirmed or is_file_confirmed(case), "columns": {**read_answers(case), **chips}}
        write_plain({case.folder / ANSWERS: kept})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """What the version says of its columns beside what was understood of the file.

    Attributes:
        files: of the version.
        shape: what a row is.
        look: what was understood; None while the file is being looked at.
        columns: as first proposed, for as long.
        answers: by column what a person said.
        language: of the reader.
        facts: by column what the version reads, where that is said otherwise than proposed.
    """

    files: Files
    shape: Shape
    look: Plain | None
    columns: Sequence[Mapping[str, Any]]
    answers: Mapping[str, str]
    language: Language
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @property
    def choices(self) -> Mapping[str, Said]:
        """The chips of a column."""
        return PARTS if self.shape is Shape.TABLE else CHIPS

    @property
    def rules(self) -> list[Mapping[str, Any]]:
        """All columns of the file in its order, each as the schema would say it."""
        return list(self.columns) if self.look is None else [one["rules"] for one in self.look["columns"]]

    @property
    def written(self) -> dict[str, Mapping[str, Any]]:
        """By name what the schema says of the columns that are read."""
        listed = read_keys(self.files, "schema").get("columns", [])
        return {str(one.get("name") or one.get("source")): one for one in listed}

    def list_columns(self) -> list[ColumnView]:
        """Return the columns in the file's order."""
        seen = [{"name": one["name"]} for one in self.columns] if self.look is None else self.look["columns"]
        return [self._view(place, {**one, **self.facts.get(one["name"], {})}) for place, one in enumerate(seen)]

    def list_changed(self) -> list[str]:
        """Return the columns that are read otherwise than was proposed: what was seen of them does not hold."""
        proposed = {str(one.get("name", "")): one for one in self.rules}
        return [
            name
            for name, rules in self.written.items()
            if name in proposed and any(rules.get(key) != proposed[name].get(key) for key in READ_BY)
        ]

    def _view(self, place: int, seen: Mapping[str, Any]) -> ColumnView:
        name = str(seen["name"])
        chip, answer = self._find_chip(name), self.answers.get(name)
        if chip == OUT and answer == "who":
            chip = "who"  # a second column that says who it is is left out, and so never leaves
        proposed = self._find_proposed(seen) if self.look is not None else chip
        said = chip in (answer, None) or chip != proposed
        rules = self.written.get(name, {})
        bins = [] if chip == "who" else seen.get("bins", [])
        return ColumnView(
            place=place,
            name=name,
            chip=chip,
            proposed=proposed,
            asked=bool(seen.get("asked")) and not said,
            said=said,
            why=tuple(
                dict.fromkeys(
                    one[self.language.value][:1].upper() + one[self.language.value][1:]
                    for key in ("why", "notes")
                    for one in seen.get(key, ())
                )
            ),
            kind=str(rules.get("kind") or seen.get("kind", "")),
            distinct=seen.get("distinct"),
            missing=int(seen.get("missing", 0)),
            values=tuple(seen.get("values", ())),
            bars=draw_bars(bins),
            form=str(rules.get("format", "")),
            missing_texts=tuple(rules.get("missing_texts", ())),
            means=str(rules.get("means", "")),
            read=name in self.written,
        )

    def _find_chip(self, name: str) -> str:
        if self.shape is Shape.TABLE:
            return find_part(self.files, name) or OUT
        role = self.written.get(name, {}).get("role")
        return next((chip for chip, meant in ROLES.items() if meant is not None and meant == role), OUT)

    def _find_proposed(self, seen: Mapping[str, Any]) -> str:
        if self.shape is Shape.TABLE:
            return self._find_chip(str(seen["name"]))
        return next((chip for chip, role in ROLES.items() if role == seen.get("role")), OUT)

    def list_lines(self, before: Files | None) -> list[RecipeLine]:
        """Return what the page writes: shape, form and roles; what the version changed is told beside what it was."""
        old = {} if before is None else {line.key: line for line in _list_lines(before, self)}
        lines: list[RecipeLine] = []
        for line in _list_lines(self.files, self):
            was = old.get(line.key)
            if was is not None and was.text != line.text:
                lines += [RecipeLine(text=was.text, kind="old"), RecipeLine(text=line.text, kind="new", key=line.key)]
            else:
                lines.append(line)
        return lines


def _list_lines(files: Files, view: FileView) -> list[RecipeLine]:
    recipe, schema = read_keys(files, "recipe"), read_keys(files, "schema")
    lines = [RecipeLine(text="# recipe.toml", kind="table", key="# recipe")]
    keys = ("shape", "dims", "value", "contributor", "separator", "encoding", "decimal")
    lines += [RecipeLine(text=f"{key} = {_write(recipe[key])}", key=key) for key in keys if key in recipe]
    for table in recipe.get("tables", []):
        lines.append(RecipeLine(text="[[tables]]", kind="table", key=f"# {table['name']}"))
        own = [(key, table[key]) for key in ("name", *keys) if key in table]
        lines += [RecipeLine(text=f"{key} = {_write(value)}", key=f"{table['name']} {key}") for key, value in own]
    if not schema:
        return lines
    lines.append(RecipeLine(text="# schema.toml", kind="table", key="# schema"))
    form = schema.get("file", {})
    lines += [RecipeLine(text=f"[file] {key} = {_write(value)}", key=key) for key, value in form.items()]
    roles = {str(one.get("name") or one.get("source")): one for one in schema.get("columns", [])}
    for place, rules in enumerate(view.rules):
        name = str(rules.get("name", ""))
        said = roles.get(name)
        left = f"{name}  {translate(LEFT_OUT, view.language)}"
        text = left if said is None else f"{name}  role = {_write(said.get('role', 'quasi'))}"
        lines.append(RecipeLine(text=text, key=f"role-{place}"))
    return lines


def _write(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)

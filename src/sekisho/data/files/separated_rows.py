"""Lines of separated cells in a text, quotes kept: what trees, groupings and the files of other programs are made of.

Lines end in LF, CRLF or CR; within quotation marks these are part of a cell and stay as they are. A separator is one
ASCII character that is neither a quotation mark nor a line end.

The encoding of a text, found out from its bytes: marks first, then strict decoding, then plausibility.

A text in UTF-8 is taken for nothing else. Of the encodings that read all bytes, the one wins whose characters stand as
people write them: kana and common kanji, letters with accents beside other letters. Half-width katakana between Latin
letters are what cp1252 looks like to a reader of cp932. Where none is plausible, charset-normalizer is asked.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said

MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
"""Byte-order marks, the longer before the shorter."""
WIDE = frozenset({"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "iso2022_jp", "iso-2022-jp"})
"""Encodings in which ASCII is not itself: files are read in them, and written in UTF-8."""
CANDIDATES = ("cp932", "euc_jp", "cp1252")
"""What offices write beside UTF-8, the most frequent first: of two equally plausible ones the first is taken."""
PLAUSIBLE = 0.5
SAMPLE = 1 << 18
CHARACTERS = 5000
"""So many characters beyond ASCII are looked at."""
ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I")
CHINESE_OR_KOREAN = ("gb18030", "gbk", "gb2312", "big5", "cp949", "euc_kr")
RATES = (
    (0x3041, 0x30FF, 1.0),
    (0xAC00, 0xD7A3, 0.9),
    (0x3000, 0x303F, 0.9),
    (0xFF01, 0xFF5E, 0.9),
    (0xE000, 0xF8FF, -1.5),
)
"""How plausible kana, Hangul, punctuation, full-width forms and characters for private use are."""
SIGNS, INNER_SIGNS = "°§€£¥«»„“”‘’–—…·•©®ºª¿¡\xa0№²³´±×", "’´·\xa0–"
"""Signs that people write, and those that they write between two letters."""
OFFICE = re.compile(r"cp125|iso8859|latin|koi8|cp874|tis_|gb|big5|cp949|euc_")
"""Encodings that offices of our days write; of older machines' ones two letters look like any others."""
KANA = re.compile("[\u3041-\u30ff]")
ODD = re.compile(r"[^\x00-\x7f]")


def find_encoding(data: bytes) -> str:
    """Return the encoding of a text: ``utf-8`` also where no other is plausible."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return name
    if b"\x00" in data[:SAMPLE]:
        return _find_wide(data[:SAMPLE])
    if b"\x1b" in data[:SAMPLE] and any(escape in data for escape in ESCAPES) and _reads(data, "iso2022_jp"):
        return "iso2022_jp"
    if _reads(data, "utf-8"):
        return "utf-8"
    return _choose_plausible(data)


def drop_mark(data: bytes) -> bytes:
    """Return a text without the byte-order mark of UTF-8; those of wider encodings are read by their decoders."""
    return data.removeprefix(MARKS[0][0])


def name_readable(encoding: str) -> str:
    """Return the name of an encoding in which files are read but not written, else an empty text."""
    wanted = encoding.lower().replace("_", "-")
    return wanted if wanted in WIDE or wanted.replace("-", "_", 1) in WIDE else ""


def name_written(encoding: str | None) -> str:
    """Return the encoding of files that are made from data that were read in one."""
    return "utf-8" if encoding is None or name_readable(encoding) else encoding


def _find_wide(sample: bytes) -> str:
    """Return UTF-16 without a mark, by the side on which the zeros of Latin letters and line ends stand; else UTF-8."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        ends = "\n".encode(name) in sample
        if ends and zeros > 8 * others and _reads(sample[: len(sample) // 2 * 2], name, cut=True):
            return name
    return "utf-8"


def _reads(data: bytes, encoding: str, *, cut: bool = False) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return cut and error.start >= len(data) - 4
    return True


def _choose_plausible(data: bytes) -> str:
    sample = _sample_lines(data)
    chosen, best = _rate_candidates(data, sample, CANDIDATES)
    if best >= PLAUSIBLE and not (chosen == "euc_jp" and not KANA.search(sample.decode("euc_jp"))):
        return chosen
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    others = [match.encoding for match in from_bytes(sample[: 1 << 16]) if OFFICE.match(match.encoding)]
    if best < PLAUSIBLE:
        other, rate = _rate_candidates(data, sample, others)
        return "utf-8" if max(rate, best) <= 0 else other if rate > best else chosen
    # without kana, bytes of EUC-JP may as well be those of Korea or China
    first = next((name for name in others if name in CHINESE_OR_KOREAN or name.startswith("euc_j")), chosen)
    return first if first in CHINESE_OR_KOREAN and _reads(data, first) else chosen


def _sample_lines(data: bytes) -> bytes:
    """Return the first lines of a text that are not all ASCII."""
    lines, size = list[bytes](), 0
    for line in data[: 1 << 22].splitlines(keepends=True):
        if not line.isascii():
            lines.append(line)
            size += len(line)
        if size > SAMPLE:
            break
    return b"".join(lines)


def _rate_candidates(data: bytes, sample: bytes, names: Iterable[str]) -> tuple[str, float]:
    chosen, best = "utf-8", float("-inf")
    for name in names:
        try:
            text = sample.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
        rate = rate_text(text)
        if rate > best + 1e-9 and _reads(data, name):
            chosen, best = name, rate
    return chosen, best


def rate_text(text: str) -> float:
    """Return how plausible the characters beyond ASCII of a text are, from -2 to 1."""
    rates = list[float]()
    for match in ODD.finditer(text):
        place = match.start()
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        rates.append(_rate_character(match[0], before, after))
        if len(rates) == CHARACTERS:
            break
    return sum(rates) / len(rates) if rates else 0.0


def _rate_character(character: str, before: str, after: str) -> float:
    point = ord(character)
    for first, last, rate in RATES:
        if first <= point <= last:
            return rate
    if 0x4E00 <= point <= 0x9FFF:
        return _rate_kanji(character)
    if 0xC0 <= point <= 0x24F and point not in {0xD7, 0xF7}:
        return _rate_accented(character, before, after)
    return _rate_other(character, before, after)


def _rate_other(character: str, before: str, after: str) -> float:
    point = ord(character)
    latin = [each for each in (before, after) if each.isascii() and each.isalpha()]
    if 0xFF61 <= point <= 0xFF9F:
        alone = not any("\uff61" <= each <= "\uff9f" for each in (before, after) if each)
        return -1.0 if latin or alone else 0.6
    if character in SIGNS:
        return 0.5 if len(latin) < 2 or character in INNER_SIGNS else -0.5
    if point < 0xC0 or point == 0xFFFD:
        return -1.5
    return 0.8 if any(each > "\u036f" and each.isalpha() for each in (before, after)) else -0.5


def _rate_kanji(character: str) -> float:
    """Return how common a kanji is: of the first level of JIS X 0208, of the second, or of neither."""
    try:
        code = character.encode("euc_jp")
    except UnicodeEncodeError:
        return 0.3
    return 0.1 if len(code) > 2 else 1.0 if code[0] < 0xD0 else 0.4


def _rate_accented(character: str, before: str, after: str) -> float:
    if character.isupper() and before.islower():
        return -0.8
    letters = [each for each in (before, after) if each.isascii() and each.isalpha()]
    others = [each for each in (before, after) if each and not each.isascii()]
    if others and not letters:
        return -0.5
    return 0.9 if letters else 0.2


QUOTE = b'"'
CHUNK = 1 << 18
"""So many bytes are looked at together: they stay in the cache of a processor."""
LONGEST = csv.field_size_limit()
"""So many characters a cell may have: no code is longer, and an unclosed quote swallows the rest of a file."""


def check_separator(separator: str, name: str = "separator") -> None:
    """Refuse what cannot stand between cells."""
    if not can_separate(separator):
        raise ParameterError(
            name,
            Said("be one ASCII character, no quotation mark, line end or NUL"),
            separator,
            hint=Said("such as , ; or a tab"),
        )


def can_separate(separator: str) -> bool:
    """Tell whether a text can stand between cells."""
    return len(separator) == 1 and separator.isascii() and separator not in '"\r\n\0'


def settle_line_ends(data: bytes, separator: str, *, trim: bool = False) -> bytes:
    """Return a text whose lines end in LF; a cell in quotation marks keeps the line ends that it holds.

    Args:
        data: in an encoding in which ASCII is itself.
        separator: between the cells.
        trim: whether blanks may stand before the quotation mark that opens a cell.
    """
    settled = settle_quoted_ends(data)
    plain = b"\r" not in data or QUOTE not in data
    if plain or stand_at_ends(np.frombuffer(settled, dtype=np.uint8), ord(separator)):
        return settled
    # Some quotation mark is none that opens or closes a cell: then the cells must be followed one by one.
    around = re.escape(separator).encode() + rb"\r\n"
    opened = rb"(?:\A|(?<=[" + around + rb"]))" + (b" *" if trim else b"")
    return re.sub(opened + rb'"(?:[^"]|"")*"?|\r\n?', _keep_quoted, data)


def _keep_quoted(match: re.Match[bytes]) -> bytes:
    return match[0] if QUOTE in match[0] else b"\n"


def settle_quoted_ends(data: bytes) -> bytes:
    """Return a text whose lines end in LF, where every quotation mark opens a cell, closes it, or is doubled."""
    if b"\r" not in data:
        return data
    if QUOTE not in data:
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    whole = np.frombuffer(data, dtype=np.uint8)
    returns = find_bytes(whole, ord("\r"))
    returns = returns[np.searchsorted(find_bytes(whole, ord(QUOTE)), returns) % 2 == 0]
    followed = whole[np.minimum(returns + 1, len(whole) - 1)] == ord("\n")
    settled = whole.copy()
    settled[returns[~followed]] = ord("\n")
    return np.delete(settled, returns[followed]).tobytes()


def find_bytes(whole: NDArray[np.uint8], byte: int) -> NDArray[np.intp]:
    """Return where a byte stands; a part that fits the cache is looked at at a time."""
    parts = [np.flatnonzero(whole[start : start + CHUNK] == byte) + start for start in range(0, len(whole), CHUNK)]
    return np.concatenate([*parts, np.zeros(0, dtype=np.intp)])


def stand_at_ends(whole: NDArray[np.uint8], mark: int) -> bool:
    """Tell whether every quotation mark of a text opens a cell, closes it, or is one of two that mean one."""
    places = find_bytes(whole, ord(QUOTE))
    around = np.array([mark, ord("\n"), ord(QUOTE)], dtype=np.uint8)
    before, after = places[::2] - 1, places[1::2] + 1
    inner = after[after < len(whole)]
    return (
        len(before) == len(after)
        and bool(np.isin(whole[before[before >= 0]], around).all())
        and bool(np.isin(whole[inner], around).all())
    )


def split_rows(text: str, separator: str, source: object, *, trim: bool = False) -> Sequence[list[str]]:
    """Return the cells of each line; to ``trim`` is to drop what is blank before a cell, so that its quotes are seen.

    Raises:
        ParameterError: the separator is none.
        FaultsError: a cell is too long.
    """
    check_separator(separator)
    settled = settle_line_ends(text.encode(), separator, trim=trim).decode()
    lines = csv.reader(StringIO(settled, newline="\n"), delimiter=separator, skipinitialspace=trim)
    try:
        return list(lines)
    except csv.Error as error:
        message = Said("a cell has more than {longest:,} characters; is a quotation mark left open?", longest=LONGEST)
        raise FaultsError(
            source, [Fault(row=lines.line_num, column="", rule="length", value=str(LONGEST), message=message)]
        ) from error

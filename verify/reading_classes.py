"""Files of every type, drawn at random: are rows equal in memory, on polars and on DuckDB if they were written equal?

``--examples N`` frames of Parquet and as many of CSV are drawn (2,000 each unless said otherwise); the equal rows are
counted plainly from the values that were written, and by the readers that ``sekisho risk`` asks.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES
from tests.data.engines.test_equal_rows import count_in_memory, count_on_engine
from tests.typed_frames import Drawn, count_equal, frames, text_frames, write_csv, write_parquet


def compare(path: Path, drawn: list[Drawn]) -> None:
    """Compare the classes of a file with those that were written."""
    expected = count_equal(drawn)
    assert count_in_memory(path) == expected, drawn
    for choice in CHOICES:
        assert count_on_engine(path, choice) == expected, (choice.engine, drawn)


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=2000)
    long = settings(
        max_examples=parser.parse_args().examples,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    counts = {"Parquet": 0, "CSV": 0}
    with TemporaryDirectory() as folder:
        place = Path(folder)

        @long
        @given(frames())
        def compare_parquet(drawn: list[Drawn]) -> None:
            counts["Parquet"] += 1
            write_parquet(drawn, place / "drawn.parquet")
            compare(place / "drawn.parquet", drawn)

        @long
        @given(text_frames(), st.sampled_from(["\n", "\r\n", "\r"]))
        def compare_csv(drawn: list[Drawn], end: str) -> None:
            counts["CSV"] += 1
            write_csv(drawn, place / "drawn.csv", end=end)
            compare(place / "drawn.csv", drawn)

        compare_parquet()
        compare_csv()
    for kind, count in counts.items():
        print(f"{kind}: {count:,} files; equal rows as written in memory and on {len(CHOICES)} engines")


if __name__ == "__main__":
    main()

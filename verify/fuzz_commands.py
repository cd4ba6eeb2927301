"""No call of any command may end in a traceback, run away, print broken JSON or leave a half-written file.

Every command of the command line starts from valid small calls, which are then spoilt by chance: bytes, lines, cells,
options. A command without a valid call fails the campaign. ``--calls 50000`` for the long run; a finding says how to
make its call again.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from fuzz.campaign import Campaign
from fuzz.worker import serve


def main() -> None:
    """Run a campaign, or serve one as the process that makes its calls."""
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), json.loads(sys.argv[3]))
        return
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--calls", type=int, default=5000)
    asks.add_argument("--seed", type=int, default=1)
    asks.add_argument("--first", type=int, default=0, help="the number of the first case")
    asks.add_argument("--command", default="", help="only commands whose words begin so, such as 'table suppress'")
    asks.add_argument("--cold", action="store_true", help="do not make every valid call first, to see that it is valid")
    options = asks.parse_args()
    script = Path(__file__).resolve()
    campaign = Campaign(
        script=script,
        calls=options.calls,
        seed=options.seed,
        first=options.first,
        only=options.command,
        warm_up=not options.cold,
    )
    sys.exit(0 if campaign.run() else 1)


if __name__ == "__main__":
    main()

"""`python -m codeassistd`: the same as the console script."""

from __future__ import annotations

import sys

from codeassistd.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())

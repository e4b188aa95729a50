"""`python -m everlog` is `everlog`."""

from __future__ import annotations

import sys

from everlog.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""Put what the blocks print into the pages: `python -m tests.docs [PAGE ...]`.

Outputs that agree already stay as they are, with their `...`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.pages import PAGES, agrees, blocks_of, masked
from tests.docs.running import outputs_of


def rewrite(page: Path) -> int:
    """How many outputs of the page were put in anew."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        outputs = outputs_of(page.absolute(), Path(folder))
    changed = 0
    for block, printed in reversed(list(zip(blocks_of(text), outputs, strict=True))):
        if printed is None or agrees(printed, block.output):
            continue
        if block.span is None:
            sys.exit(f"{page.name}: a text block is missing after:\n{block.code}\n{printed}")
        start, end = block.span
        text = text[:start] + masked(printed) + text[end:]
        changed += 1
    page.write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    for page in [Path(name) for name in sys.argv[1:]] or PAGES:
        print(f"{page.name}: {rewrite(page)} outputs put in anew")

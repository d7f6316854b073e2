"""Finding functions that were typed into a notebook or at the interactive prompt."""

import subprocess
import sys
import textwrap

import pytest

CELLS = [
    """
    import ast
    from batchprep.rowfn.source import find_source

    def root_value(r):
        return r["price"] ** 0.5

    first, second = lambda r: r["é"] + 1, lambda r: r["é"] + 2
    """,
    """
    %precision 3
    def root_value(r):  # defined again in a later cell
        return r["volume"] ** 0.5

    third = [lambda r, k=k: r["a"] * k for k in range(2)]
    """,
    """
    for f in (root_value, first, second, third[1], lambda r: 0):
        source = find_source(f)
        print(ast.unparse(source.node.body if f is not root_value else source.node.body[0]))
    """,
]


def notebook():
    nbformat = pytest.importorskip("nbformat")
    cells = [textwrap.dedent(cell).strip() for cell in CELLS]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def test_functions_of_notebook_cells_are_found():
    nbclient = pytest.importorskip("nbclient")

    done = nbclient.NotebookClient(notebook(), timeout=60, kernel_name="python3").execute()

    [printed] = done.cells[2].outputs
    assert printed.text.splitlines() == [
        "return r['volume'] ** 0.5",
        "r['é'] + 1",
        "r['é'] + 2",
        "r['a'] * k",
        "0",
    ]


TYPED = """
from batchprep.errors import Unsupported
from batchprep.rowfn.source import find_source
f = lambda r: r["a"] + 1
try: print(find_source(f).node.body.op.__class__.__name__)
except Unsupported as e: print(e, e.hint, sep=" | ")

"""


def test_at_the_interactive_prompt_the_function_or_the_reason_is_found():
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=TYPED.lstrip(),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    without_text = (
        "no source: <lambda> was typed at the interactive prompt or piped into Python"
        " | Define it in a file or a notebook."
    )
    # From CPython 3.13 the prompt keeps what was typed.
    kept = {"Add"} if sys.version_info >= (3, 13) else set()
    assert done.stdout.strip() in {without_text, *kept}

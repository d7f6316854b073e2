import difflib
import re

import pytest

import batchprep as bp
from tests.docs import measured
from tests.docs.__main__ import rewrite
from tests.docs.pages import PAGES, ROOT, agrees, blocks_of, unchecked
from tests.docs.running import outputs_of

pages = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
HIDDEN = re.compile(r"/(work|tmp|home|root)/")


def disagreements(page, folder):
    """The blocks that print other than the page says, as differences."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    return [
        "\n".join(difflib.ndiff(block.output.split("\n"), printed.split("\n")))
        for block, printed in zip(blocks, outputs_of(page, folder), strict=True)
        if printed is not None and not agrees(printed, block.output)
    ]


@pages
def test_every_block_prints_what_the_page_says(page, tmp_path):
    assert "\n\n".join(disagreements(page, tmp_path)) == ""


@pages
def test_every_output_has_its_code(page):
    assert unchecked(page.read_text(encoding="utf-8")) == []


@pages
def test_links_lead_to_files_and_headings(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        if "://" in name:
            continue
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def anchors(file):
    headings = HEADING.findall(file.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pages
def test_pages_name_no_folder_of_a_machine(page):
    assert HIDDEN.search(page.read_text(encoding="utf-8")) is None


def test_every_public_name_is_in_the_guide():
    guide = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

    assert [name for name in bp.__all__ if not re.search(rf"\b{name}\b", guide)] == []


def test_readme_leads_to_every_page():
    readme = PAGES[0].read_text(encoding="utf-8")

    assert [page.name for page in PAGES[1:] if f"(docs/{page.name})" not in readme] == []


def test_first_screen_has_code_and_the_numbers_have_a_place():
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    assert text.index("```python") < text.index("\n", 200)
    assert text.count("<!-- numbers -->") == 1


PAGE = """
```python
import warnings

print(1 + 1)
warnings.warn("late", stacklevel=1)
```

```text
{output}
```
"""


@pytest.mark.parametrize(
    ("output", "agreeing"),
    [("2\nUserWarning: late", True), ("3\nUserWarning: late", False), ("2", False), ("...", True)],
)
def test_an_output_that_differs_or_hides_a_warning_is_found(output, agreeing, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(output=output), encoding="utf-8")

    assert (disagreements(page, tmp_path) == []) is agreeing


def test_an_output_that_the_page_leaves_out_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(2)\n```\n", encoding="utf-8")

    assert disagreements(page, tmp_path) == ["+ 2\n  "]


def test_commands_are_run_with_their_exit_code(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ batchprep run\n$ echo $?\n```\n", encoding="utf-8")

    (printed,) = outputs_of(page, tmp_path)

    assert printed.startswith("$ batchprep run\nUsage: batchprep run")
    assert printed.endswith("$ echo $?\n2\n")


def test_outputs_are_put_in_where_they_differ(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(output="3"), encoding="utf-8")

    assert (rewrite(page), rewrite(page)) == (1, 0)
    assert page.read_text(encoding="utf-8") == PAGE.format(output="2\nUserWarning: late")


def test_the_numbers_are_those_of_the_committed_results():
    assert measured.section() in measured.PAGE.read_text(encoding="utf-8")

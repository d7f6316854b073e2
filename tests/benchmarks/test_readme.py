import shutil

import pytest

from benchmarks import readme


def test_readme_has_the_numbers_of_the_committed_results():
    assert readme.section() in readme.FILE.read_text(encoding="utf-8")


def test_the_section_is_put_between_its_marks(tmp_path):
    file = tmp_path / "README.md"
    file.write_text(f"before\n{readme.OPEN}\nafter\n", encoding="utf-8")

    for _ in range(2):
        readme.rewrite(file)
        assert file.read_text(encoding="utf-8") == f"before\n{readme.section()}after\n"


def test_a_file_without_the_mark_is_refused(tmp_path):
    file = tmp_path / "README.md"
    shutil.copy(__file__, file)

    with pytest.raises(ValueError, match="needs the line <!-- numbers --> once"):
        readme.rewrite(file)

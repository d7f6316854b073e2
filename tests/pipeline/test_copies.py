"""What a step that writes into its row is given: a copy made without the record's own code."""

import batchprep as bp

WRITTEN: list[str] = []


class Loud(dict):
    def __setitem__(self, key, value):
        WRITTEN.append(key)
        super().__setitem__(key, value)


def marked(r):
    r["b"] = 2
    return r


def test_a_copy_of_a_record_is_not_written_through_its_class():
    WRITTEN.clear()
    records = [Loud(a=1)]

    assert bp.Pipeline(on_unsupported="ignore").map(marked)(records) == [{"a": 1, "b": 2}]
    assert WRITTEN == ["b"]
    assert records == [{"a": 1}]

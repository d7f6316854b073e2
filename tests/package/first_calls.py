"""First calls of a process, from records: numbers, texts, None."""

import batchprep as bp

RECORDS = [{"name": f"a{n % 5}", "city": None if n % 7 else "b", "n": n} for n in range(300)]


@bp.vectorize
def label(r):
    if r["city"] is None or r["n"] > 250:
        return r["name"].strip().upper()
    return r["city"] + "-" + r["name"]


def run():
    """Twice with each backend that is there at once."""
    for backend in ("auto", "numpy"):
        with bp.use(backend=backend):
            assert label(RECORDS) == [label(record) for record in RECORDS]

"""Loops in a function `process(records, df)`; each has a replacement."""

LOOPS = {
    "one expression": """
        def process(records, df):
            out = []
            for r in records:
                out.append(r["price"] * r["volume"])
            return out
    """,
    "a body": """
        import math

        LIMIT = 10


        def process(records, df):
            out = []
            for r in records:
                value = r["price"] * r["volume"]
                if value > LIMIT:
                    # large ones
                    out.append(math.sqrt(value))
                else:
                    out.append(None)
            return out
    """,
    "a value over several lines": """
        def process(records, df):
            out = []
            for r in records:
                size = r["volume"] + 1
                out.append(
                    {
                        "name": r["name"].strip(),  # without blanks
                        "size": size,
                    },
                )
            return out
    """,
    "a sum over several lines": """
        def process(records, df):
            out = []
            for r in records:
                size = r["volume"] + 1
                out.append(
                    size
                    + r["price"],
                )
            return out
    """,
    "one value over several lines": """
        def process(records, df):
            out = []
            for r in records:
                if r["price"]:
                    out.append(
                        {
                            "name": r["name"].strip(),  # without blanks
                            "size": r["volume"] + 1,
                        }
                    )
            return out
    """,
    "a filter": """
        def process(records, df):
            out = []
            for r in records:
                if r["price"] > 1:
                    out.append(r["note"])
            return out
    """,
    "records that pass": """
        def process(records, df):
            out = []
            for r in records:
                if r["price"] > 1:
                    out.append(r)
            return out
    """,
    "rows that are left out": """
        def process(records, df):
            out = []
            for r in records:
                if r["note"] is None:
                    continue
                if r["price"] > 100:
                    out.append({"name": r["name"]})
                    continue
                out.append({"name": r["name"].upper()})
            return out
    """,
    "a list that holds something": """
        def process(records, df):
            out = [1]
            for r in records:
                out.append(r["price"] + 1)
            return out
    """,
    "a loop in a loop": """
        def process(records, df):
            out = []
            for factor in (1, 2):
                for r in records:
                    scaled = r["price"] * factor
                    out.append(scaled + 1)
            return out
    """,
    "an iterator": """
        def process(records, df):
            out = []
            for r in iter(records):
                out.append(r["name"].lower())
            return out
    """,
    "a tuple": """
        def process(records, df):
            first, *rest = records
            out = []
            for r in first, *rest:
                out.append(r["name"].lower())
            return out
    """,
    "an argument of the code around": """
        def process(records, df, limit=3):
            out = []
            for r in records:
                big = r["volume"] > limit
                out.append("big" if big else "small")
            return out
    """,
    "a function of the file": """
        def root(r):
            return (r["price"] * r["volume"]) ** 0.5


        def process(records, df):
            return [root(r) for r in records]
    """,
    "a comprehension": """
        def process(records, df):
            return [
                r["price"] * 2  # twice
                for r in records
                if r["volume"]
                if r["note"] != "q"
            ]
    """,
    "a set": """
        def process(records, df):
            return {r["name"].strip().lower() for r in records}
    """,
    "a sum": """
        def process(records, df):
            total = sum(r["price"] * r["volume"] for r in records)
            return total, max((r["volume"] + 1 for r in records), default=0)
    """,
    "iterrows": """
        def process(records, df):
            out = []
            for _, row in df.iterrows():
                out.append({"name": row.name_.strip(), "value": row["price"] * row.volume})
            return out
    """,
    "iterrows with a number": """
        def process(records, df):
            out = []
            for _, row in df.iterrows():
                value = row.price * row.volume
                out.append(value + 1)
            return out
    """,
    "itertuples": """
        def process(records, df):
            return [t.price * t.volume for t in df.itertuples()]
    """,
    "itertuples with a filter": """
        def process(records, df):
            out = []
            for t in df.itertuples():
                if t.price > 1:
                    out.append(t.price * t.volume)
            return out
    """,
    "map": """
        def root(r):
            return (r["price"] * r["volume"]) ** 0.5


        def process(records, df):
            return list(map(root, records))
    """,
    "a lazy map": """
        def root(r):
            return (r["price"] * r["volume"]) ** 0.5


        def process(records, df):
            return sum(map(root, records))
    """,
    "a docstring and an import from the future": '''
        """Prices."""

        from __future__ import annotations


        def process(records, df):
            return [r["price"] * 2 for r in records]
    ''',
    "batchprep under its own name": """
        import batchprep

        bp = 3


        def process(records, df):
            return [r["price"] * bp for r in records]
    """,
    "bp is another thing": """
        bp = 3


        def process(records, df):
            return [r["price"] * bp for r in records]
    """,
    "a name that is taken": """
        out_row = root_rows = 1


        def root(r):
            return (r["price"] * r["volume"]) ** 0.5


        def process(records, df):
            out = []
            for r in records:
                x = root(r)
                out.append(x + out_row)
            return out
    """,
}

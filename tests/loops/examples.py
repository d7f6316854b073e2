"""The loops of the table, and the records that they go over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.loops import groups, lists, numbers, others, sequences

COMPILED = [
    lists.process_data_unoptimized,
    lists.mapped,
    lists.filtered,
    lists.filtered_with_continue,
    lists.two_lists,
    lists.two_appends,
    lists.branches,
    lists.helper_and_global,
    lists.table_lookup,
    lists.missing_key,
    lists.argument,
    lists.local_before,
    lists.code_after,
    lists.starts_full,
    lists.extends,
    lists.extends_by_operator,
    lists.walrus,
    lists.numbered,
    lists.numbered_from,
    lists.by_position,
    lists.by_position_named,
    numbers.counted,
    numbers.counted_down,
    numbers.summed_ints,
    numbers.summed_floats,
    numbers.summed_from_int,
    numbers.subtracted,
    numbers.summed_spelled_out,
    numbers.several_sums,
    numbers.sum_of_mixed,
    numbers.two_terms,
    numbers.joined_text,
    numbers.share,
    numbers.largest,
    numbers.largest_with_record,
    numbers.smallest,
    numbers.largest_by_max,
    numbers.smallest_by_min,
    numbers.largest_either_way,
    numbers.longest_name,
    numbers.range_of,
    groups.groups_by_default,
    groups.groups_by_setdefault,
    groups.groups_by_test,
    groups.counts_by_get,
    groups.counts_by_counter,
    groups.counts_by_default,
    groups.counts_by_test,
    groups.counts_of_mixed_keys,
    groups.counts_of_number_keys,
    groups.sums_by_group,
    groups.sums_by_group_of_ints,
    groups.sums_by_group_of_floats,
    groups.sums_by_two_keys,
    groups.prepared_groups,
    groups.statistics_by_group,
    groups.sets_by_group,
    groups.last_by_key,
    groups.index_of_records,
    groups.distinct,
    sequences.first_match,
    sequences.first_match_kept,
    sequences.any_match,
    sequences.else_of_loop,
    sequences.until,
    sequences.count_until,
    sequences.running_total,
    sequences.running_mean,
    sequences.difference,
    sequences.changes,
    sequences.total_limited,
    sequences.capped,
    others.twice,
    sequences.first_seen,
    sequences.codes,
    sequences.clamped_balance,
    sequences.gaps_from_the_last,
    others.unrelated_loops,
    others.returned_early,
    others.writes_record,
]
# Compiled too; the first record has no round of its own.
PAIRS = [
    sequences.gaps_of_pairs,
    sequences.pairs_kept,
    sequences.gaps_pairwise,
    sequences.in_order_until,
    sequences.gaps_by_place,
    sequences.gaps_written,
]
# Compiled once the front end takes try and inner loops; equal to the loop in any case.
OPEN = [
    numbers.summed_unguarded,
    sequences.names_stay,
    sequences.carried_in_try,
    sequences.guarded,
    sequences.guarded_sum,
    sequences.suppressed,
    sequences.inner_loop,
    sequences.inner_comprehension,
]
ENDING = [
    sequences.first_match,
    sequences.first_match_kept,
    sequences.any_match,
    sequences.until,
    sequences.count_until,
    sequences.total_limited,
    sequences.capped,
]
AS_THEY_STAND = [others.updates_record, others.prints, others.in_order, others.shared_object]
ALL = [*COMPILED, *PAIRS, *OPEN, *AS_THEY_STAND]


@dataclass
class Row:
    """A record with attributes."""

    n: Any
    x: Any
    s: Any


def attributes(rows):
    total, out = 0, []
    for i, row in enumerate(rows):
        total += row.n
        if row.s != "a":
            out.append((i, row.x, total))
    return out


def clean(count: int) -> list[dict[str, Any]]:
    """Rows that no loop fails on."""
    return [
        {
            "n": (i * 7) % 11,
            "x": None if i % 13 == 4 else ((i * 37) % 101) / 7,
            "s": "abcA"[i % 4],
            "price": float(i % 300),
            "volume": i,
            "currency": ("EUR", "GBP", "USD")[i % 3],
            "text": str(i * 3),
            "tags": ["t", "u", "v"][: i % 4],
        }
        for i in range(count)
    ]


def dirty(count: int) -> list[dict[str, Any]]:
    """The same with values of other kinds, none of which most loops fail on."""
    rows = clean(count)
    for i in range(3, count, 17):
        rows[i].update(n=[True, 2**70, -3, 2.5, 0][i % 5], text=["n/a", None, " 7 ", "٣"][i % 4])
        rows[i].update(s=["b ", "İi", "", "a"][i % 4], x=[float("nan"), -0.0, 0, True, 7][i % 5])
        rows[i]["currency"] = ["EUR", "CHF"][i % 2]
    return rows


def broken(count: int) -> list[dict[str, Any]]:
    """The same with rows that make most loops raise."""
    rows = dirty(count)
    rows[count // 2]["n"] = "seven"
    rows[count // 2 + 3]["s"] = None
    rows[count - 2]["x"] = [1]
    del rows[count - 1]["n"]
    return rows

"""Why a loop runs in the interpreter, and what to write instead."""

from __future__ import annotations

from typing import Final

NO_LOOP: Final = (
    "{name} has no loop over its records",
    "Write: for record in {parameter}: ... with {parameter} as the first argument.",
)
NOT_A_FUNCTION: Final = (
    "a lambda holds no loop",
    "Write: def process(records): ... for record in records: ...",
)
NO_PARAMETER: Final = (
    "{name} takes no records",
    "Let its first argument be the records.",
)
TWO_LOOPS: Final = (
    "{name} uses {parameter} itself inside of its loop",
    "Do all of it in one loop, or make two functions.",
)
BETWEEN: Final = (
    "the loop stands inside of another statement",
    "Move it to the top level of {name}.",
)
REBOUND: Final = (
    "{name} binds {parameter} anew before its loop",
    "Loop over {parameter} as it was handed over.",
)
OTHER_ITERABLE: Final = (
    "the loop goes over something made from {parameter}",
    "Loop over {parameter}, enumerate({parameter}), range(len({parameter})) or pairs of it.",
)
TARGET: Final = (
    "the loop takes its records apart",
    "Write: for record in {parameter}: and read record[...] in the loop.",
)
TARGET_AFTER: Final = (
    "{what} is read after the loop or bound anew in it",
    "Keep what is needed of it in a variable of its own.",
)
WRITES_RECORD: Final = (
    "the loop changes its records in a way that may be seen from elsewhere",
    "Write record['key'] = ... alone, or append a new dict: out.append({{**record, ...}}).",
)
RECORDS_SHARED: Final = "the loop writes into records that are not each a dict of its own"
RECORDS_HELD: Final = "the loop writes into its records and reads what may hold some of them"
OUTER_STATE: Final = (
    "the loop changes {what}, which {name} did not make",
    "Make it inside of {name} and return it.",
)
ALIASED: Final = (
    "{what}, which the loop changes, has a second name or place before the loop",
    "Build what holds it after the loop.",
)
NOT_IN_A_LOOP: Final = (
    "{what} inside of the loop cannot be compiled",
    "Move it out of the loop.",
)
PRIVATE: Final = (
    "{what} is a private name of a class, which means something else outside of it",
    "Give it one underscore.",
)
SHADOWED: Final = (
    "{what} is not Python's own in {name}",
    "Give the other one another name.",
)
CALL_ON_STATE: Final = (
    "{what} gets what the rows before have left and may change it",
    "Write the step out in the loop, or do it after the loop.",
)
DEEP: Final = (
    "{what} is changed inside, and what lies in it may be part of a record",
    "Put a new list or dict into it instead of the record's own.",
)
CAUGHT_STEP: Final = (
    "a try in the loop holds a step that depends on the rows before",
    "Take the step out of the try: keep its value in a variable and use it after the try.",
)
ALL_IN_SEQUENCE: Final = (
    "each step of the loop depends on the row before: nothing is left to compute in columns",
    "Leave it a plain loop: that is as fast.",
)
ROW_BY_ROW: Final = (
    "what a row computes by itself is compiled in no part",
    "bp.vectorize of it as a function of one record says which step stands in the way.",
)
SHARED_OBJECT: Final = (
    "two of the loop's variables are one object",
    "Make each of them by itself.",
)
OTHER_STATE: Final = (
    "the loop changes an object of a class of its own",
    "Keep its parts in variables, and make the object after the loop.",
)
STOPS_EARLY: Final = (
    "the loop may stop early, and an iterator must not be read further than it goes",
    "Hand over a list.",
)
WRITES_WHAT_COMES: Final = (
    "the loop writes into its records, of which an iterator may hand out one twice",
    "Hand over a list.",
)
TWO_SEQUENCES: Final = "steps of the loop and of a loop inside of it must run one after the other"
NAN_TWICE: Final = "a step computes NaN twice, and two NaN are not one key"
UNBOUND: Final = "a name that the loop reads has no value before it"
ROW_RAISES: Final = "a row raises: the loop itself ran from there on, for its own exception"

TRY: Final = "try cannot be compiled"
IN_SEQUENCE: Final = "row after row in Python, on columns computed before"
HOW: Final = {
    "append": "collected in row order",
    "extend": "collected in row order",
    "add": "a set of all values",
    "sum": "a sum in row order",
    "extreme": "the first extreme value",
    "last": "the last value",
    "group_sum": "a grouped sum",
    "group_append": "grouped lists",
    "put": "the last value of each key",
    "write": "written into each record",
    "exit": "the first row that ends the loop",
}
RUNNING: Final = {
    "sum": "a running sum, known at the start of each row",
    "last": "the value that the row before has left",
}
CARRIED: Final = "carried from row to row in Python, and told to what is computed in columns"
COUNTED: Final = "a count"
COUNTED_GROUPS: Final = "a grouped count"


def goes_by_row(how: str) -> bool:
    """Whether Python goes from row to row for a state that is computed so."""
    return how in (CARRIED, IN_SEQUENCE)


def by_key_text(how: str, key: str) -> str:
    """How a grouped state is computed, with the expression of its key."""
    return f"{how} by {key}"


def state_text(name: str, how: str) -> str:
    """One line of an explanation."""
    return f"  {name}: {how}"

"""Every text about a file that cannot be written, or that must not be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from batchprep.errors.messages import bad_option_text, missing_package_text
from batchprep.errors.nearest import nearest_names

FORMAT_NAMES: Final = {
    "parquet": "Parquet file",
    "csv": "CSV file",
    "ndjson": "NDJSON file",
    "ipc": "Arrow file",
}
ANY_TYPE: Final = "write an Arrow file (.arrow)"


def not_target_text(target: object) -> str:
    """The target is neither a path nor a URL."""
    return (
        f"a target of type {type(target).__name__} cannot be written\n"
        '  It takes a path or a URL, for example "out.parquet" or Path("out.csv.gz")'
    )


def unknown_suffix_text(target: str, suffix: str, known: Iterable[str]) -> str:
    """The name does not say the format."""
    known = list(known)
    what = f"{suffix!r} names no format" if suffix else "the name has no suffix"
    close = nearest_names(suffix, known)
    lines = [f"{target}: {what}; known are {', '.join(known)}"]
    if close:
        lines.append(f"  nearest: {', '.join(close)}")
    lines.append('  Or pass format="parquet", "csv", "ndjson" or "ipc"')
    if not suffix:
        lines.append(f'  For a folder of parts, write "{target}/"')
    return "\n".join(lines)


def compression_text(target: str, format: str, value: object, allowed: Iterable[str]) -> str:  # noqa: A002  as in the call
    """The format has no such compression."""
    return f"{target} ({FORMAT_NAMES[format]}): {bad_option_text('compression', value, allowed)}"


def outer_compression_text(target: str, format: str, inner: str) -> str:  # noqa: A002  as in the call
    """A .gz or .zst on a format that compresses inside of the file."""
    stem = target.rpartition(".")[0]
    return (
        f"{target} ({FORMAT_NAMES[format]}): this format is compressed inside, not as a whole\n"
        f'  Write "{stem}" with compression="{inner}"'
    )


def contrary_compression_text(target: str, by_suffix: str, value: str) -> str:
    """The suffix says one compression, the option another."""
    return (
        f'{target}: the suffix says {by_suffix}, compression="{value}" says otherwise\n'
        "  Leave out compression=, or change the suffix"
    )


def exists_text(target: str) -> str:
    """There is something under the final name."""
    return (
        f"{target} exists, and nothing was written\n"
        "  Pass overwrite=True to replace it, or write to another name"
    )


def not_replaced_text(target: str, why: str) -> str:
    """What is under the final name is nothing that is replaced."""
    return f"{target} {why}, and is not replaced\n  Remove it yourself, or write to another name"


def foreign_files_text(target: str, names: Sequence[str]) -> str:
    """A folder holds more than parts."""
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return not_replaced_text(target, f"holds what is no part ({shown})")


def is_folder_text(target: str) -> str:
    """A file was asked for where there is a folder."""
    return (
        f"{target} is a folder\n"
        f'  Write "{target}/" for a folder of parts, or name a file in it: '
        f'"{target}/out.parquet"'
    )


def no_folder_text(target: str, folder: str, close: Sequence[str]) -> str:
    """The folder of the file is missing."""
    lines = [f"{target}: there is no folder {folder}"]
    if close:
        lines.append(f"  nearest: {', '.join(close)}")
    lines.append(f"  Make it first: mkdir -p {folder}")
    return "\n".join(lines)


def parent_is_file_text(target: str, folder: str) -> str:
    """The folder of the file is a file."""
    return f"{target}: {folder} is a file, not a folder\n  Write to another name"


def not_writable_text(target: str, folder: str) -> str:
    """Nothing can be made in the folder."""
    return f"{target}: no permission to write into {folder}\n  Write to another folder"


def write_failed_text(target: str, reason: str) -> str:
    """The system refused a write."""
    return f"{reason} while writing {target}\n  Nothing was left under that name by this run"


def bad_rows_text(target: str, first: int, last: int, reason: str) -> str:
    """Values that the format cannot hold, which shows only when they are written."""
    return f"{target}, rows {first:,} to {last - 1:,} of the result: {reason}"


def closed_text(target: str) -> str:
    """Rows come after the end."""
    return f"{target} is closed\n  Open a new sink to write more rows"


def no_columns_text(target: str, format: str) -> str:  # noqa: A002  as in the call
    """A table without columns."""
    return (
        f"{target}: the rows have no columns, and a {FORMAT_NAMES[format]} would lose them\n"
        "  Keep at least one column, or write NDJSON (.ndjson)\n"
        "  If there was no row to show its columns: read an Arrow table or bp.scan(...), which "
        "know them"
    )


def repeated_columns_text(target: str, where: str, names: Iterable[str]) -> str:
    """Columns, or fields of a struct, share a name."""
    return (
        f"{target}: {where} {', '.join(map(repr, names))} more than once\n"
        "  Rename them, since a record holds each key once"
    )


def union_column_text(target: str, path: str, kinds: Sequence[str], format: str) -> str:  # noqa: A002
    """A column holds values of several kinds."""
    return (
        f"{target}: column {path!r} has values of several kinds ({', '.join(kinds)}), "
        f"which no {FORMAT_NAMES[format]} holds\n"
        "  Give one kind (for example str(...) on each path), pass the type to hold them as "
        f"returns=, or {ANY_TYPE}"
    )


def column_type_text(target: str, path: str, dtype: Any, format: str, remedy: str) -> str:  # noqa: A002
    """The format has no place for a type."""
    return (
        f"{target}: column {path!r} is of type {dtype}, which no {FORMAT_NAMES[format]} holds\n"
        f"  {remedy[:1].upper()}{remedy[1:]}"
    )


def column_names_text(target: str, found: Sequence[str], wanted: Sequence[str]) -> str:
    """A table has other columns than those before it."""
    lines = [f"{target}: the columns of the rows changed"]
    missing = [name for name in wanted if name not in found]
    added = [name for name in found if name not in wanted]
    if missing:
        lines.append(f"  missing: {', '.join(missing)}")
    if added:
        lines.append(f"  not in the file: {', '.join(added)}")
    lines.append(f"  The file has, in this order: {', '.join(wanted)}")
    return "\n".join(lines)


def changed_type_text(target: str, name: str, found: Any, wanted: Any) -> str:
    """A column has another type than before."""
    return (
        f"{target}: column {name!r} came as {found}, and is {wanted} in the file\n"
        f"  Cast it to {wanted} before it is written"
    )


def beyond_calendar_text(text: str) -> str:
    """A date or time that has no text."""
    return (
        f"a date or time is beyond what text can say ({text})\n"
        "  Write Parquet or an Arrow file, which keep the number"
    )


def remote_package_text(target: str) -> str:
    """fsspec is missing."""
    return missing_package_text("fsspec", "remote", f"writing to {target}")


def remote_driver_text(target: str, reason: str) -> str:
    """The package behind a protocol is missing, or there is no such protocol."""
    return f"{target} cannot be opened: {reason}"


def remote_options_text(target: str) -> str:
    """Options of a remote store for a local path."""
    return f"{target} is a local path, which takes no storage_options\n  Leave them out"

"""A process that forks a writer for each line that it reads, so that imports are paid once.

A line is JSON: the target, the options of open_sink, the first number, and the event of the
operating system at which the writer kills itself (0: it does not). The writer prints its process
id, a dot for each table that it has written, "closing" and "closed".
"""

import json
import os
import signal
import sys
from pathlib import Path

import pyarrow as pa

from batchprep.sinks import open_sink

TABLES, ROWS = 12, 500
SCHEMA = pa.schema([("n", pa.int64()), ("s", pa.string())])
LOCK = "fcntl.flock"  # knows the file by its number
EVENTS = ("open", "os.", LOCK, "shutil.")


def numbers(first):
    return list(range(first, first + TABLES * ROWS))


def table(first):
    rows = range(first, first + ROWS)
    return pa.table({"n": pa.array(rows), "s": [f"text {n}" for n in rows]})


def say(word):
    os.write(1, f"{word}\n".encode())


def die_at(count, folder):
    """Kill this process right before its count-th operation on a file of the folder."""
    left = count

    def watch(event, arguments):
        nonlocal left
        if left and event.startswith(EVENTS) and (event == LOCK or folder in str(arguments)):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def write(order):
    first = order["first"]
    say(os.getpid())
    die_at(order["die_at"], str(Path(order["target"]).parent))
    with open_sink(order["target"], SCHEMA, **order["options"]) as sink:
        for start in range(first, first + TABLES * ROWS, ROWS):
            sink.write(table(start))
            say(".")
        say("closing")
    say("closed")


def serve():
    table(0)  # imports what Arrow imports when it is first used: not once for each writer
    for line in sys.stdin:
        child = os.fork()
        if not child:
            status = 1
            try:
                write(json.loads(line))
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        say(f"ended {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    serve()

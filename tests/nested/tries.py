"""The table: try, except, else, finally; raise and assert; suppress."""

# What is tested is code as people write it.
# ruff: noqa: B904, BLE001

from __future__ import annotations

import contextlib
import json
from contextlib import suppress
from typing import Any

from tests.nested.constants import LIMIT, RATES, RefusedError

Record = dict[str, Any]


def named_exception(r: Record) -> Any:
    try:
        return int(r["s"])
    except ValueError:
        return None


def tuple_of_exceptions(r: Record) -> Any:
    try:
        value = r["user"]["address"]["city"]
    except (KeyError, TypeError):
        value = "unknown"
    return value


def two_handlers(r: Record) -> Any:
    try:
        return r["n"] // r["m"]
    except ZeroDivisionError:
        return 0
    except TypeError:
        return -1


def broad_handler(r: Record) -> Any:
    try:
        return r["items"][0]["price"] * 2
    except Exception:
        return None


def bare_handler(r: Record) -> Any:
    try:
        return float(r["s"])
    except:  # noqa: E722
        return 0.0


def text_of_the_exception(r: Record) -> Any:
    try:
        return int(r["s"])
    except ValueError as error:
        return str(error)


def type_of_the_exception(r: Record) -> Any:
    try:
        return r["nums"][r["m"]] // r["n"]
    except Exception as error:
        return type(error).__name__


def arguments_of_the_exception(r: Record) -> Any:
    try:
        return RATES[r["k"]]
    except KeyError as error:
        return error.args


def repr_of_the_exception(r: Record) -> Any:
    try:
        return r["user"]["name"].upper()
    except (KeyError, AttributeError, TypeError) as error:
        return f"{error!r}"


def name_of_the_exception_is_gone(r: Record) -> Any:
    error = "before"
    try:
        return 10 // r["m"]
    except ZeroDivisionError as error:
        pass
    return error


def raises_anew(r: Record) -> Any:
    try:
        return int(r["s"])
    except ValueError:
        raise ValueError(f"row {r['n']}: {r['s']!r} is no number")


def raises_from(r: Record) -> Any:
    try:
        return RATES[r["k"]]
    except KeyError as error:
        raise LookupError("no rate", r["k"]) from error


def raises_from_none(r: Record) -> Any:
    try:
        return RATES[r["k"]]
    except KeyError:
        raise LookupError(r["k"]) from None


def raises_again(r: Record) -> Any:
    try:
        return r["n"] % r["m"]
    except ZeroDivisionError:
        if r["n"] > LIMIT:
            raise
        return 0


def raises_its_own_kind(r: Record) -> Any:
    if not r["tags"]:
        raise RefusedError("tags", r["tags"])
    return r["tags"][0]


def catches_its_own_kind(r: Record) -> Any:
    try:
        if r["n"] < 0:
            raise RefusedError("n", r["n"])
        return r["n"] * 2
    except RefusedError as refused:
        return (refused.field, refused.value)


def raises_a_class(r: Record) -> Any:
    if r["b"]:
        raise RuntimeError
    return r["n"]


def asserts(r: Record) -> Any:
    assert r["n"] >= 0, f"negative: {r['n']}"
    return r["n"] + 1


def asserts_without_a_text(r: Record) -> Any:
    assert r["tags"]
    return len(r["tags"])


def catches_an_assertion(r: Record) -> Any:
    try:
        assert len(r["nums"]) > 1, "short"
        return sum(r["nums"])
    except AssertionError as error:
        return str(error)


def with_else(r: Record) -> Any:
    try:
        n = int(r["s"])
    except ValueError:
        return "no number"
    else:
        return n * r["m"]


def error_in_else_is_not_caught(r: Record) -> Any:
    try:
        n = r["n"]
    except KeyError:
        return None
    else:
        return n // r["m"]


def with_finally(r: Record) -> Any:
    log = []
    try:
        log.append(r["n"] // r["m"])
    except ZeroDivisionError:
        log.append("zero")
    finally:
        log.append("end")
    return log


def finally_overrides_the_return(r: Record) -> Any:
    out = {"n": r["n"]}
    try:
        out["ratio"] = r["n"] / r["m"]
        return out
    finally:
        out["done"] = True


def finally_while_it_raises(r: Record) -> Any:
    try:
        return r["nums"][2]
    finally:
        r["n"] + 1


def nested_tries(r: Record) -> Any:
    try:
        try:
            return int(r["s"])
        except ValueError:
            return float(r["s"])
    except ValueError:
        return r["s"].strip().lower()


def inner_handler_does_not_fit(r: Record) -> Any:
    try:
        try:
            return r["items"][r["m"]]["qty"]
        except KeyError:
            return "no key"
    except IndexError:
        return "no item"


def number_of(text: Any) -> int:
    return int(text)


def checked(value: Any) -> Any:
    if value is None:
        raise ValueError("missing")
    return value


def error_of_a_helper(r: Record) -> Any:
    try:
        return number_of(r["s"])
    except (ValueError, TypeError) as error:
        return f"bad: {error}"


def handler_in_a_helper(r: Record) -> Any:
    def parsed(text: Any) -> Any:
        try:
            return int(text)
        except (ValueError, TypeError):
            return None

    return [parsed(r["s"]), parsed(r["digits"])]


def checked_by_a_helper(r: Record) -> Any:
    return checked(r["opt"]) + 1


def suppressed(r: Record) -> Any:
    value = None
    with contextlib.suppress(ValueError, TypeError):
        value = int(r["s"])
    return value


def suppressed_in_the_middle(r: Record) -> Any:
    out = {}
    with suppress(KeyError):
        out["name"] = r["user"]["name"]
        out["city"] = r["user"]["address"]["city"]
    return out


def suppressed_return(r: Record) -> Any:
    with suppress(ZeroDivisionError):
        return r["n"] % r["m"]
    return "zero"


def continue_inside_try(r: Record) -> Any:
    total = 0
    for item in r["items"]:
        try:
            total += int(item["qty"])
        except (TypeError, KeyError, ValueError):
            continue
    return total


def break_inside_try(r: Record) -> Any:
    found = []
    for n in r["nums"]:
        try:
            found.append(12 // n)
        except ZeroDivisionError:
            break
        finally:
            found.append("seen")
    return found


def return_inside_try_of_a_loop(r: Record) -> Any:
    for text in r["tags"]:
        try:
            return int(text)
        except ValueError:
            pass
    return None


def first_that_parses(r: Record) -> Any:
    for parse in (int, float, str.upper):
        try:
            return parse(r["s"])
        except ValueError:
            pass


def try_around_a_loop(r: Record) -> Any:
    total = 0
    try:
        for n in r["nums"]:
            total += 12 // n
    except ZeroDivisionError:
        return ("stopped", total)
    return ("all", total)


def try_around_a_comprehension(r: Record) -> Any:
    try:
        return [12 // n for n in r["nums"]]
    except ZeroDivisionError:
        return []


def stop_iteration(r: Record) -> Any:
    try:
        return next(tag for tag in r["tags"] if tag.startswith("c"))
    except StopIteration:
        return "none"


def unpacking_that_fails(r: Record) -> Any:
    try:
        key, value = r["s"].split("=")
    except ValueError as error:
        return str(error)
    return {key: value}


def parsed_json(r: Record) -> Any:
    try:
        return json.loads(r["s"])
    except (ValueError, TypeError) as error:
        return type(error).__name__


def assignment_before_the_fault_stays(r: Record) -> Any:
    state = "start"
    try:
        state = "first"
        n = r["n"] // r["m"]
        state = "second"
        n = r["nums"][n]
    except (ZeroDivisionError, IndexError):
        return state
    return n


def write_before_the_fault_stays(r: Record) -> Any:
    out = []
    try:
        out.append(1)
        out.append(r["nums"][r["m"]])
    except IndexError:
        out.append(None)
    return out


def arithmetic_beside_a_try(r: Record) -> Any:
    try:
        bonus = int(r["s"])
    except ValueError:
        bonus = 0
    return r["n"] * 2 + bonus if r["b"] else r["x"] / 2


def exception_as_a_value(r: Record) -> Any:
    try:
        return r["n"] // r["m"]
    except ZeroDivisionError as error:
        return {"error": str(error), "n": r["n"], "type": type(error).__qualname__}


def handler_that_fails(r: Record) -> Any:
    try:
        return RATES[r["k"]]
    except KeyError:
        return r["nums"][0] // r["m"]

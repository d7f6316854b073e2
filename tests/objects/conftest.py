"""Fixture that writes modules whose functions have a source to be found."""

import importlib.util

import pytest

HEADER = """\
import ast
import base64
import binascii
import bisect
import calendar
import cmath
import collections
import colorsys
import copy
import dataclasses
import difflib
import functools
import hashlib
import html
import ipaddress
import itertools
import json
import math
import operator
import re
import statistics
import string
import struct
import textwrap
import unicodedata
import urllib.parse
import uuid
import zlib
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from tests.objects.constants import *

"""


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Row functions of bodies such as 'r["d"] + 1', all in one module."""
    folder = tmp_path_factory.mktemp("written_objects")

    def write(bodies):
        functions = [
            f"def f{number}(r):\n    return {body}\n" for number, body in enumerate(bodies)
        ]
        path = folder / "written_objects.py"
        path.write_text(HEADER + "\n\n".join(functions), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return [getattr(module, f"f{number}") for number in range(len(bodies))]

    return write

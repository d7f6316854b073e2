"""What a pipeline is made of."""

from __future__ import annotations

from typing import TypeAlias

from batchprep.rowfn.steps import Step
from batchprep.transforms import Transform

Steps: TypeAlias = tuple[Step | Transform, ...]

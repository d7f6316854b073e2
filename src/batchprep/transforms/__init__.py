"""Transforms: steps that learn from data, with scikit-learn's names and values."""

from batchprep.transforms.encoder import OrdinalEncoder
from batchprep.transforms.scaler import StandardScaler
from batchprep.transforms.transform import NotFittedError, RowFunction, Transform

__all__ = ["NotFittedError", "OrdinalEncoder", "RowFunction", "StandardScaler", "Transform"]

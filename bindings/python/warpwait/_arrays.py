"""The types of arrays."""
import numpy
from numpy.typing import NDArray

Words = NDArray[numpy.uint64]
Whole = NDArray[numpy.int64]
Floats = NDArray[numpy.float64]
Flags = NDArray[numpy.bool_]

"""Draw an index with given weights."""

from winnerstays._types import Floats
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform


@kernel
def pick_proportional(weights: Floats, total: float, rng: Rng) -> int:
    """Draw an index with probability weight / total; `total` is the sum of the weights."""
    left = uniform(rng) * total
    for k in range(weights.size - 1):
        left -= weights[k]
        if left < 0.0:
            return k
    return int(weights.size - 1)

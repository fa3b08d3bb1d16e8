"""Whether what an algorithm leaps over is what it would have played."""

from winnerstays.codec import pack, unpack
from winnerstays.problems import total_order
from winnerstays.randomness import stream
from winnerstays.testing.algorithms import HORIZON, play


def check_leaps(one, p, duels, longest):
    """The first five leaps on 4 arms, cut to `longest` duels, end where as many single updates do."""
    leaps, fresh = 0, one.start(4, stream(1), horizon=HORIZON)
    for step in play(one, total_order(4, p), duels, seed=3):
        sure = min(one.certain(step.state), longest)
        if sure > 0 and leaps < 5:
            leaps += 1
            slow, fast = (unpack(pack(step.state), fresh) for _ in range(2))
            for _ in range(sure):
                slow = one.update(slow, step.first, step.second, True, stream(0))
            assert pack(slow) == pack(one.leap(fast, sure))
    assert leaps > 0

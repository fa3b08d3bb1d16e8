"""An agent tries n times; the attempts are compared by a grader in rounds of four until the best is certain.

The loop belongs to the agent: it asks for questions, has them answered wherever it likes, and tells the answers.
"""

import random

from winnerstays.picking import Picker, PickResult

ATTEMPTS = {f"attempt {k}": quality for k, quality in enumerate((0.2, 0.9, 0.4, 0.5, 0.3))}


def grade(left: float, right: float, rng: random.Random) -> float:
    """Return the left one's share of the point, as a grader says it: much, slightly, not at all better."""
    gap = left - right + rng.gauss(0, 0.3)
    return max(0.0, min(1.0, 0.5 + 0.25 * round(4 * gap)))


def best_of_n(attempts: dict[str, float], seed: int = 0) -> PickResult:
    """Return the best attempt."""
    rng = random.Random(seed)
    picker = Picker(attempts, concurrency=4, budget=200, seed=seed)
    while picker.stop is None:
        for question in picker.ask(4):
            picker.tell(question, grade(attempts[question.left], attempts[question.right], rng))
    return picker.verdict()


if __name__ == "__main__":
    print(best_of_n(ATTEMPTS))

"""Preference problems: built in, generated, or loaded from a file."""

from winnerstays.problems.builtin import FIXED, GENERATED, cyclic, fifty, mslr, sushi
from winnerstays.problems.generated import linear_utilities, random_condorcet, random_order, three_types, total_order
from winnerstays.problems.lookup import ProblemLike, problem
from winnerstays.problems.people import problems_of_people
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.files import load
from winnerstays.problems.readers.limits import Limits

__all__ = [
    "FIXED", "GENERATED", "Limits", "Problem", "ProblemLike", "cyclic", "fifty", "linear_utilities", "load", "mslr",
    "problem", "problems_of_people", "random_condorcet", "random_order", "sushi", "three_types",
    "total_order",
]  # fmt: skip

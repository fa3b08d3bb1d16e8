"""Preference problems: built in, generated, or loaded from a file."""

from winnerstays.problems.builtin import FIXED, GENERATED, cyclic, fifty, mslr, sushi
from winnerstays.problems.generated import linear_utilities, random_condorcet, random_order, three_types, total_order
from winnerstays.problems.lookup import ProblemLike, load, problem
from winnerstays.problems.people import problems_of_people
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.duels import read_duels
from winnerstays.problems.readers.preflib import read_preflib
from winnerstays.problems.readers.ratings import rating_problem, rating_problems

__all__ = [
    "FIXED", "GENERATED", "Problem", "ProblemLike", "cyclic", "fifty", "linear_utilities", "load", "mslr", "problem",
    "problems_of_people", "random_condorcet", "random_order", "rating_problem", "rating_problems", "read_duels",
    "read_preflib", "sushi", "three_types", "total_order",
]  # fmt: skip

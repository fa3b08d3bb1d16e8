"""Ratings gathered one by one in little memory, then sorted by person."""

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from winnerstays.problems.problem import Floats


@dataclass(frozen=True)
class RatingTable:
    """Ratings of arms, person by person: person k gave those from start[k] to start[k + 1], each arm once."""

    users: list[str]
    start: npt.NDArray[np.int64]
    arm: npt.NDArray[np.int64]
    grade: Floats

    def of(self, user: int) -> tuple[npt.NDArray[np.int64], Floats]:
        """The arms that a person rated, and the grades."""
        part = slice(self.start[user], self.start[user + 1])
        return self.arm[part], self.grade[part]

    def table(self, first: int, last: int, n_arms: int) -> Floats:
        """The grades of persons first to last - 1, a row each; NaN where there is none."""
        part = slice(self.start[first], self.start[last])
        people = np.repeat(np.arange(last - first), np.diff(self.start[first : last + 1]))
        table = np.full((last - first, n_arms), np.nan)
        table[people, self.arm[part]] = self.grade[part]
        return table


class RatingTableBuilder:
    """Collects ratings in any order, in 24 bytes each besides the names of the people."""

    def __init__(self) -> None:
        self._people: dict[str, int] = {}
        self._user, self._arm, self._grade, self._when = array("i"), array("i"), array("d"), array("d")

    def add(self, user: str, arm: int, grade: float, when: float = 0) -> None:
        self._user.append(self._people.setdefault(user, len(self._people)))
        self._arm.append(arm)
        self._grade.append(grade)
        self._when.append(when)

    def sorted(self) -> RatingTable:
        """Return all ratings. If a person rated an arm several times, the latest counts, or else the last one added."""
        user, arm = np.array(self._user, dtype=np.int64), np.array(self._arm, dtype=np.int64)
        order = np.lexsort((np.array(self._when), arm, user))
        user, arm = user[order], arm[order]
        last = np.ones(order.size, dtype=bool)
        last[:-1] = (np.diff(user) != 0) | (np.diff(arm) != 0)
        start = np.searchsorted(user[last], np.arange(len(self._people) + 1))
        grade = np.array(self._grade)[order[last]]
        return RatingTable(list(self._people), start, arm[last], grade)

"""A model of what people like: one person, a group, or all visitors of a site. It does no I/O.

| class | for | gives |
|---|---|---|
| `Person` | one person's answers, from any algorithm's duels | how likely each item is the best, what to ask next |
| `Group` | a poll: several people, a few answers each | the group's favourite and how sure it is |
| `Crowd`, `Visitor`, `fit` | a site: many visitors, a few answers each | each visitor's favourite and the next duel |

In the background, `fit` makes a new version of a `Crowd` from all answers in the log.
"""

from winnerstays.probit import LOST, TIED, WON
from winnerstays.tastes.crowd import Crowd, Settings, Visitor
from winnerstays.tastes.fitting import fit
from winnerstays.tastes.group import Group
from winnerstays.tastes.person import Person
from winnerstays.tastes.ranking import Likely, Standing

__all__ = [
    "LOST", "TIED", "WON", "Crowd", "Group", "Likely", "Person", "Settings", "Standing", "Visitor",
    "fit",
]  # fmt: skip

"""`pick`: the best of several items by a noisy judge, with few calls and a certified stop (docs/pick.md)."""

from winnerstays.picking.api import pick
from winnerstays.picking.judging import Answer
from winnerstays.picking.llm import LlmJudge, llm_judge
from winnerstays.picking.picker import Picker
from winnerstays.picking.ranking import Ranking, rank
from winnerstays.picking.result import PickResult

__all__ = ["Answer", "LlmJudge", "PickResult", "Picker", "Ranking", "llm_judge", "pick", "rank"]

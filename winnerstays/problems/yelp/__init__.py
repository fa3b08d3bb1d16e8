"""The paper's restaurants: Yelp's academic dataset, or a generated city in the same format."""

from winnerstays.problems.yelp.city import GENERATED, City, write_city
from winnerstays.problems.yelp.pipeline import YelpData, yelp_problems
from winnerstays.problems.yelp.tastes import Taste, fit

__all__ = ["GENERATED", "City", "Taste", "YelpData", "fit", "write_city", "yelp_problems"]

"""Every registered algorithm keeps the contract; nobody signs up."""

import pytest

from winnerstays.algorithms import registered
from winnerstays.testing import CHECKS


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(name, check):
    check(registered()[name])

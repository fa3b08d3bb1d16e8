"""Every registered algorithm keeps the contract; nobody signs up."""

from dataclasses import replace

import pytest

from winnerstays import WinnerstaysError
from winnerstays.algorithms import algorithm, register, registered
from winnerstays.testing import CHECKS


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(name, check):
    check(registered()[name])


@pytest.mark.parametrize("missing", ["init", "choose", "update", "best"])
def test_an_algorithm_without_one_of_the_four_functions_is_not_registered(missing):
    lame = replace(algorithm("ws-w"), name="lame", **{missing: None})
    with pytest.raises(WinnerstaysError, match="an Algorithm with init, choose, update and best is needed"):
        register(lame)
    assert "lame" not in registered()

"""The anytime-valid test against SciPy's incomplete beta function, and where that gives up."""

import math

import pytest
from scipy.special import betainc, betaln

from winnerstays.evidence import log_evidence


def by_scipy(won, lost, null):
    likelihood = won * math.log(null) + (lost + 1) * math.log(1 - null)
    return math.log(betainc(lost + 1, won + 1, 1 - null)) + betaln(won + 1, lost + 1) - likelihood


@pytest.mark.parametrize("null", [0.3, 0.45, 0.5])
@pytest.mark.parametrize(
    ("won", "lost"), [(0, 1), (1, 0), (3, 2), (7, 7), (40, 90), (90, 40), (700, 650), (0, 200), (9000, 9100)]
)
def test_evidence_equals_scipys(won, lost, null):
    assert log_evidence(won, lost, null) == pytest.approx(by_scipy(won, lost, null), abs=1e-9)


def test_evidence_of_hopeless_records_is_still_a_number():
    assert log_evidence(0, 5000) == pytest.approx(-math.log(5001))  # the integral of 2 (2(1-x))^5000 from 1/2 to 1
    assert log_evidence(5000, 0) == pytest.approx(5001 * math.log(2) - math.log(5001))


def test_a_lower_null_gets_at_least_the_evidence():
    """What beats a coin beats every worse chance: so one budget holds for the certificate and for indifference."""
    for won in range(60):
        for lost in range(won):
            assert log_evidence(won, lost, 0.45) >= log_evidence(won, lost, 0.5)

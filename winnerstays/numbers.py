"""Read large numbers and shares as people write them."""

import re

from winnerstays.errors import WinnerstaysError


def whole_number(given: str | int) -> int:
    """Return a whole number that may be written as 100000, 100_000, 1e5 or 10^5.

    >>> [whole_number(text) for text in ("100000", "100_000", "1e5", "2.5e3", "10^5")]
    [100000, 100000, 100000, 2500, 100000]
    """
    text = str(given)
    power = re.fullmatch(r"(\d{1,3})\^(\d{1,3})", text.strip())
    try:
        value = int(power[1]) ** int(power[2]) if power else int(text)
    except ValueError:
        try:
            real = float(text)
        except ValueError:
            real = 0.5
        if not real.is_integer():
            raise WinnerstaysError(f"{text!r} is not a whole number, such as 100000, 100_000, 1e5 or 10^5.") from None
        value = int(real)
    return value


def share(given: str | float) -> float:
    """Return a share that may be written as 0.95 or 95%.

    >>> [share(text) for text in ("0.95", "95%", "2.5 %")]
    [0.95, 0.95, 0.025]
    """
    text = str(given).strip()
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise WinnerstaysError(f"{text!r} is not a number, such as 0.95 or 95%.") from None

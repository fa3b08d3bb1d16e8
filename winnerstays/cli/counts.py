"""Options that accept numbers as people write them, such as 1e5 or 95%."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer

from winnerstays.errors import WinnerstaysError
from winnerstays.numbers import share, whole_number

T = TypeVar("T", int, float)


def count_option(meaning: str) -> Any:
    """Return an option that takes a whole number, also as 1e5 or 10^5."""
    return typer.Option(parser=_parser(whole_number), metavar="INTEGER", help=meaning)


def share_option(meaning: str) -> Any:
    """Return an option that takes a share of 1, also in percent."""
    return typer.Option(parser=_parser(share), metavar="FLOAT", help=meaning)


def _parser(read: Callable[[str], T]) -> Callable[[str], T]:
    def parse(text: str) -> T:
        try:
            return read(text)
        except WinnerstaysError as error:
            raise typer.BadParameter(str(error).rstrip(".")) from None

    return parse


def check_positive(**values: float | None) -> None:
    """Refuse a value that is not above 0."""
    for name, value in values.items():
        if value is not None and not value > 0:
            raise WinnerstaysError(f"{name} is {value}, but it must be above 0.")


def whole_numbers(option: str, text: str, such_as: str) -> list[int]:
    """Return the whole numbers that are written with commas behind an option."""
    try:
        return [whole_number(part) for part in text.split(",")]
    except WinnerstaysError:
        raise WinnerstaysError(f"{option} is {text!r}, but it must be whole numbers, as {such_as}.") from None

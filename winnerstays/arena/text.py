"""Texts that every database can hold."""

from winnerstays.errors import WinnerstaysError

MAX_CHARACTERS = 200


def check_text(kind: str, value: object) -> str:
    """Return a name that every database can hold: 1 to 200 characters of proper Unicode; `kind` says what it names."""
    if not isinstance(value, str):
        raise WinnerstaysError(f"{kind} must be a text, but is {value!r}.")
    if not value.strip() or len(value) > MAX_CHARACTERS:
        raise WinnerstaysError(f"{kind} must have 1 to {MAX_CHARACTERS} characters, but {value[:40]!r} does not.")
    return check_storable(kind, value)


def check_storable(kind: str, value: str) -> str:
    """Return a text of any length that every database can hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise WinnerstaysError(f"{kind} {value[:40]!r} is not proper Unicode text.") from None
    if "\0" in value:
        raise WinnerstaysError(f"{kind} {value[:40]!r} must not contain the character NUL.")
    return value


def loggable(value: object) -> str:
    """Return any value as a short text for the log; a proper text stays as it is.

    >>> loggable("it's"), loggable("a\\0"), loggable(7)
    ("it's", "'a\\\\x00'", '7')
    """
    try:
        return check_storable("", value)[:MAX_CHARACTERS] if isinstance(value, str) else repr(value)[:MAX_CHARACTERS]
    except WinnerstaysError:
        return repr(value)[:MAX_CHARACTERS]

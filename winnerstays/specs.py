"""Options behind a name, as in `ws-s:beta=1.2` or `total-order:n_arms=20,p=0.8`."""

from winnerstays.errors import WinnerstaysError


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split a name from its options.

    >>> parse_spec("total-order:n_arms=20,p=0.8")
    ('total-order', {'n_arms': '20', 'p': '0.8'})
    """
    name, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for option in filter(None, rest.split(",")):
        key, sign, value = option.partition("=")
        if not (key and sign and value):
            raise WinnerstaysError(f"{text!r} must look like {name}:option=value,option=value.")
        if key in options:
            raise WinnerstaysError(f"{text!r} gives {key} twice; give it once.")
        options[key] = value
    return name, options

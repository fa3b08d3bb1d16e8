"""Docstrings of fields, which Python keeps nowhere, put where `help` finds them."""

import ast
import inspect
import textwrap
from typing import TypeVar

T = TypeVar("T", bound=type)


class _Dots:
    """Stands in a signature for a default that would take a line."""

    def __repr__(self) -> str:
        return "..."


def described(cls: T) -> T:
    """Append to the docstring of a class what its source says below each field; show its signature without types."""
    cls.__init__.__signature__ = _short(inspect.signature(cls.__init__))  # type: ignore[misc]
    cls.__signature__ = _short(inspect.signature(cls))  # type: ignore[attr-defined]
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, SyntaxError):  # no source to read
        return cls
    assert isinstance(body, ast.ClassDef)
    lines = []
    for one, following in zip(body.body, body.body[1:], strict=False):
        said = following.value if isinstance(following, ast.Expr) else None
        if isinstance(one, ast.AnnAssign) and isinstance(said, ast.Constant) and isinstance(said.value, str):
            lines.append(f"{ast.unparse(one.target)}: {' '.join(said.value.split())}")
    cls.__doc__ = "\n\n".join([inspect.cleandoc(cls.__doc__ or ""), "Fields:", "\n".join(lines)])
    return cls


def _short(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature without types, and with dots for defaults that would take a line."""
    empty = inspect.Parameter.empty
    plain = (str, int, frozenset, type(None))
    return inspect.Signature(
        [
            one.replace(
                annotation=empty,
                default=one.default if one.default is empty or isinstance(one.default, plain) else _Dots(),
            )
            for one in signature.parameters.values()
        ]
    )

"""The shell of every page: one file that runs from a disk, and in which no text can do harm.

Texts reach a page in two ways only: through the template engine, which escapes them, or through
:func:`island`, JSON that the page's script reads and sets as text. The Content-Security-Policy
names the page's own script and styles by their hashes and forbids everything else; nothing is
fetched, and no markup can be made from text (Trusted Types).
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tenlog.errors import TenlogError, extra_hint

if TYPE_CHECKING:
    from jinja2 import Environment

_ESCAPES: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


class HtmlExtraMissing(TenlogError):
    """The template engine of the extra ``html`` is not installed."""


def island(value: Any) -> str:
    """A value as JSON that can stand in a ``<script type="application/json">``.

    >>> island({"name": "</script>&"})
    '{"name":"\\\\u003c/script\\\\u003e\\\\u0026"}'
    """
    text = msgspec.json.encode(value).decode()
    return text.translate(_ESCAPES)


def asset(name: str) -> str:
    """A file of this package's ``assets``, with the newlines that a browser hashes."""
    text = files("tenlog.html").joinpath("assets", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def environment() -> Environment:
    """The template engine: everything is escaped, a name that is not given is an error.

    Raises:
        HtmlExtraMissing: it is not installed; the message says how to get it.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise HtmlExtraMissing(f"an HTML page {extra_hint('html')}") from None
    return Environment(
        autoescape=True,
        loader=FunctionLoader(asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(
    template: str,
    *,
    style: str,
    script: str | None,
    data: Any,
    extra: tuple[str, ...] = (),
    **values: Any,
) -> str:
    """A whole page from a template that extends ``page.html.jinja``.

    Args:
        template: its name among the assets.
        style: the asset with the styles of this page; ``base.css`` stands before it.
        extra: more assets with styles, which stand between the two.
        script: the asset with the script of this page, if it has one.
        data: what the script reads from the island ``data``; None for no island.
        values: what the template asks for.

    Raises:
        HtmlExtraMissing: see :func:`environment`.
    """
    from markupsafe import Markup

    # Assets are ours and hold no "</"; all else that is marked up comes from tenlog.html.chart.
    css = "".join(map(asset, ("base.css", *extra, style)))
    js = None if script is None else asset(script)
    policy = [
        "default-src 'none'",
        f"style-src {_hash(css)}",
        "script-src " + ("'none'" if js is None else _hash(js)),
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return (
        environment()
        .get_template(template)
        .render(
            policy="; ".join(policy),
            css=Markup(css),
            js=None if js is None else Markup(js),
            data=None if data is None else Markup(island(data)),
            **values,
        )
    )

"""Templates into pages: sentences in the reader's language, addresses in the other one, htmx kept within the policy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from sekisho.server.web.language import PARAMETER, choose_language
from sekisho.words import Language, Said

HTMX = (
    '{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"historyCacheSize":0,'
    '"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},'
    '{"code":"[45]..","swap":true,"error":true}]}'
)
"""How htmx is kept within the policy of the pages: no eval, no scripts or styles of its own, no copies of pages.

A refusal is shown where an answer would be, so that the page stays with what was filled in and chosen.
"""


@pass_context
def _translate_value(context: Context, value: object) -> object:
    """Return what a page shows: a sentence of ours in the reader's language, anything else as it is."""
    return value.say(context["language"]) if isinstance(value, Said) else value


@cache
def open_templates() -> Environment:
    """Return the templates; whatever they show is escaped, and what they are not given is an error.

    They say ``{{ said("English {figure}", figure=...) }}``, as the sources do.
    """
    return Environment(
        loader=PackageLoader("sekisho.server", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_translate_value,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_page(
    request: Request,
    template: str,
    *,
    kept: Collection[str] = (),
    values: Mapping[str, object],
    here: str | None = None,
) -> str:
    """Return a page's text.

    Args:
        request: that asks for it.
        template: its name.
        kept: what of the query is kept when the reader chooses another language.
        values: of the page and of the frame around it.
        here: where the page is in another language, if that is not where it was asked for.
    """
    languages = [(str(each), _address(request, here or request.url.path, each, kept)) for each in Language]
    return (
        open_templates()
        .get_template(template)
        .render(
            said=Said,
            language=choose_language(request),
            languages=languages,
            path=request.url.path,
            htmx=HTMX,
            **values,
        )
    )


def _address(request: Request, path: str, language: Language, names: Collection[str]) -> str:
    """Return where the same page is in a language; only what we understand of the query is kept."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name in names]
    return f"{quote(path)}?{urlencode([*kept, (PARAMETER, str(language))])}"

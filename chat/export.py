"""A conversation as Markdown with its sources, for keeping elsewhere."""

import re
from collections import Counter
from collections.abc import Mapping

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy

from chat.access import get_entity, get_session_or_404
from chat.citations import load_citation_links, resolve_cited
from chat.closest import list_closest
from chat.confidence import Confidence
from chat.conversation import Exchange, list_exchanges
from chat.models import Message, Session
from chat.readers import name_people
from entities.access import Scope
from entities.api.lists import list_atom_chips
from entities.language import join_words, translate_level, translate_stored
from entities.neutral_markdown import clean_markdown
from retrieval.citation_links import MARKER, list_sources
from retrieval.locate import ResolvedCitation

REMOVED = gettext_lazy("Removed with a source: something that this answer was drawn from was deleted.")
WITHHELD = gettext_lazy(
    "The answer is no longer shown: a source that it used was removed, or you may no longer see it."
)


def export_markdown(scope: Scope, session: Session) -> HttpResponse:
    """What the caller may read today of a session from `get_session_or_404`; placeholders where they may not."""
    entity = get_entity(scope, session)
    title = get_session_or_404(scope, session.pk).title or gettext("Conversation")  # type: ignore[attr-defined]
    about = gettext("About the workspace")
    if entity:
        about = f"{translate_stored(entity.type_title)}: {entity.title_or_type}"
    lines = [f"# {title}", "", about, ""]
    found = list_exchanges(scope, session)
    cited = resolve_cited(scope, [m for exchange in found for m in (exchange.question, exchange.answer) if m])
    askers = {} if session.is_private else name_people({exchange.turn.owner for exchange in found})
    for exchange in found:
        asker = askers.get(exchange.turn.owner)
        question = gettext("Question by %(name)s") % {"name": asker} if asker else gettext("Question")
        for who, message, hidden in (
            (question, exchange.question, exchange.hidden_question),
            (gettext("Answer"), exchange.answer, exchange.hidden_answer),
        ):
            if message is not None:
                lines += [
                    f"## {who}, {message.created_at:%Y-%m-%d %H:%M} UTC",
                    "",
                    *_format_message(scope, exchange, message, cited),
                    "",
                ]
            elif hidden is not None:
                names = join_words([translate_level(chip.label) for chip in list_atom_chips(hidden.requires)])
                refusal = gettext("Hidden: needs %(names)s.") % {"names": names}
                lines += [f"## {who}", "", f"*{refusal}*", ""]
        if exchange.is_withheld:
            lines += ["## " + gettext("Answer"), "", f"*{REMOVED if exchange.is_removed else WITHHELD}*", ""]
        if exchange.error:
            lines += [f"*{translate_stored(exchange.error)}*", ""]
    response = HttpResponse(clean_markdown("\n".join(lines)), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="conversation-{session.pk}.md"'
    response["Cache-Control"] = "no-store"
    return response


def _format_message(
    scope: Scope, exchange: Exchange, message: Message, cited: Mapping[int, ResolvedCitation]
) -> list[str]:
    if exchange.confidence is Confidence.CLOSEST and message is exchange.answer:
        return _format_closest(scope, exchange, message, cited)
    links = load_citation_links(scope, message, resolved=cited)
    counts: Counter[int] = Counter()

    def number(found: re.Match[str]) -> str:
        n = int(found[1])
        counts[n] += 1
        return f"[{links[n].at_place(counts[n] - 1).number}]" if n in links else ""

    text = MARKER.sub(number, message.content)
    if not links:
        return [text]
    gone = " (" + gettext("no longer available") + ")"
    sources = [
        f"- [{link.number}] {link.name}{f', {link.where}' if link.where else ''}{'' if link.url else gone}"
        for link in list_sources(links)
    ]
    return [text, "", gettext("Sources") + ":", "", *sources]


def _format_closest(
    scope: Scope, exchange: Exchange, answer: Message, cited: Mapping[int, ResolvedCitation]
) -> list[str]:
    lines = [gettext("Nothing says this plainly. Closest:"), ""]
    for number, passage in enumerate(list_closest(scope, exchange.turn, answer, resolved=cited), start=1):
        place = f"{passage.name}, {passage.where}" if passage.where else passage.name
        lines += [*(f"> {line}" for line in passage.text.splitlines()), "", f"[{number}] {place}", ""]
    return lines

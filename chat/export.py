"""A conversation as Markdown with its sources, for keeping elsewhere."""

import re
from collections import Counter

from django.http import HttpResponse

from chat.access import get_entity, get_session_or_404
from chat.citations import load_citation_links
from chat.conversation import list_exchanges
from chat.models import Message, Session
from chat.readers import name_people
from entities.access import Scope
from entities.api.lists import list_atom_chips
from retrieval.citation_links import MARKER, list_sources

REMOVED = "Removed with a source: something that this answer was drawn from was deleted."
WITHHELD = "No longer shown: a source that it used was removed, or you may no longer see it."


def export_markdown(scope: Scope, session: Session) -> HttpResponse:
    """What the caller may read today of a session from `get_session_or_404`; placeholders where they may not."""
    entity = get_entity(scope, session)
    title = get_session_or_404(scope, session.pk).title or "Conversation"  # type: ignore[attr-defined]
    about = f"{entity.type_title}: {entity.title_or_type}" if entity else "the workspace"
    lines = [f"# {title}", "", f"About {about}", ""]
    found = list_exchanges(scope, session)
    askers = {} if session.is_private else name_people({exchange.turn.owner for exchange in found})
    for exchange in found:
        by = f" by {askers[exchange.turn.owner]}" if exchange.turn.owner in askers else ""
        for who, message, hidden in (
            (f"Question{by}", exchange.question, exchange.hidden_question),
            ("Answer", exchange.answer, exchange.hidden_answer),
        ):
            if message is not None:
                lines += [
                    f"## {who}, {message.created_at:%Y-%m-%d %H:%M} UTC",
                    "",
                    *_format_message(scope, message),
                    "",
                ]
            elif hidden is not None:
                names = " and ".join(chip.label for chip in list_atom_chips(hidden.requires))
                lines += [f"## {who}", "", f"*Content requires {names} clearance.*", ""]
        if exchange.is_withheld:
            lines += ["## Answer", "", f"*{REMOVED if exchange.is_removed else WITHHELD}*", ""]
        if exchange.error:
            lines += [f"*{exchange.error}*", ""]
    response = HttpResponse("\n".join(lines), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="conversation-{session.pk}.md"'
    response["Cache-Control"] = "no-store"
    return response


def _format_message(scope: Scope, message: Message) -> list[str]:
    links = load_citation_links(scope, message)
    counts: Counter[int] = Counter()

    def number(found: re.Match[str]) -> str:
        n = int(found[1])
        counts[n] += 1
        return f"[{links[n].at(counts[n] - 1).number}]" if n in links else ""

    text = MARKER.sub(number, message.content)
    if not links:
        return [text]
    sources = [
        f"- [{link.number}] {link.name}{f', {link.where}' if link.where else ''}"
        f"{'' if link.url else ' (no longer available)'}"
        for link in list_sources(links)
    ]
    return [text, "", "Sources:", "", *sources]

"""A conversation as Markdown with its sources, for keeping elsewhere."""

from django.http import HttpResponse

from chat.access import get_session_or_404
from chat.citations import links_of
from chat.conversation import exchanges
from chat.models import Message, Session
from entities.access import Scope, get_entity_or_404
from entities.api.lists import chips_of_atoms
from retrieval.citation_links import MARKER


def markdown_of(scope: Scope, session: Session) -> HttpResponse:
    """What the caller may read today of a session from `get_session_or_404`; placeholders where they may not."""
    entity = get_entity_or_404(scope, session.entity_id)
    title = get_session_or_404(scope, session.pk).title or "Conversation"  # type: ignore[attr-defined]
    lines = [f"# {title}", "", f"About {entity.type_title}: {entity.title_or_type}", ""]
    for exchange in exchanges(scope, session):
        for who, message, hidden in (
            ("Question", exchange.question, exchange.hidden_question),
            ("Answer", exchange.answer, exchange.hidden_answer),
        ):
            if message is not None:
                lines += [f"## {who}, {message.created_at:%Y-%m-%d %H:%M} UTC", "", *_text(scope, message), ""]
            elif hidden is not None:
                names = " and ".join(chip.label for chip in chips_of_atoms(hidden.requires))
                lines += [f"## {who}", "", f"*Content requires {names} clearance.*", ""]
        if exchange.turn.error:
            lines += [f"*{exchange.turn.error}*", ""]
    response = HttpResponse("\n".join(lines), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="conversation-{session.pk}.md"'
    response["Cache-Control"] = "no-store"
    return response


def _text(scope: Scope, message: Message) -> list[str]:
    links = links_of(scope, message)
    text = MARKER.sub(lambda found: f"[{found[1]}]" if int(found[1]) in links else "", message.content)
    if not links:
        return [text]
    sources = [
        f"- [{n}] {link.name}{f', {link.where}' if link.where else ''}{'' if link.url else ' (no longer available)'}"
        for n, link in sorted(links.items())
    ]
    return [text, "", "Sources:", "", *sources]

"""The offline engine in a chat: search first, then quote."""

import re
from collections.abc import Iterator
from typing import Any

from llm.offline.answering import answer
from llm.offline.pulsing import best_points
from llm.offline.ranking import content_words
from llm.offline.reading import element, last_question, lines, passages, record_name, text_of
from llm.offline.sentences import spoken
from llm.prompts import NOT_FOUND
from llm.recognisers.findings import phrases

SEARCH = "search_knowledge"
GREETING = re.compile(
    r"^\W*"
    + phrases(
        r"""hi; hello; hey; good (?:morning|afternoon|evening|day); hallo; guten (?:tag|morgen|abend); moin; servus;
        bonjour; hola; ciao; thanks?(?: you)?(?: (?:so|very) much)?; thx; danke; merci; gracias; bye; goodbye;
        ok(?:ay)?; great; perfect; cool; nice; well done"""
    )
    + r"(?:\s+"
    + phrases("there; all; everyone; team; again; assistant; a lot; for (?:that|this|your help)")
    + r")?\W*$",
    re.IGNORECASE,
)
ABOUT_SELF = re.compile(
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:who|what)\s+are\s+you\W*$|\bwhat\s+can\s+you\s+do\b"
    r"|\bhow\s+(?:can|do)\s+you\s+(?:help|work)\b|\bare\s+you\s+(?:an?\s+)?(?:ai|bot|human|real)"
    r"|^\W*help\W*$|^\W*how\s+are\s+you\W*$",
    re.IGNORECASE,
)
SELF = (
    "I am the offline assistant: no language model is configured here. I search what you can see and quote the"
    " sentences that answer best, word for word, with their sources. Ask me about the documents of this record."
)
# A question that leans on the one before it: it points back, or goes on from there. "In this lease" points at the
# record or the document at hand, and "is there" at nothing.
LEANING = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\b(?!"
    + r"(?:this|these|both|one)\s+"
    + phrases(
        """leases?; contracts?; agreements?; amendments?; documents?; files?; papers?; reports?; letters?; records?;
        projects?; risks?; tasks?; compan(?:y|ies); firms?; organi[sz]ations?; polic(?:y|ies); handbooks?; manuals?;
        plans?; programm?es?; articles?; pages?; texts?; cases?; tickets?; employees?; parties; sides; years?; months?;
        weeks?; quarters?; workspaces?"""
    )
    + r"\b)"
    + phrases(
        """it; its; they; them; their; this; that; these; those; he; she; his; her; him; there; then; same; one; ones;
        both; former; latter"""
    )
    + r"\b|^\s*"
    + phrases("and; what about; how about")
    + r"\b",
    re.IGNORECASE,
)
# A question that leaves out what it asks about: "How much?", but not "How much notice is due?", where words follow.
BARE = re.compile(
    r"^\s*" + phrases("why; when; who; where; how much; how many; since when; until when") + r"\b", re.IGNORECASE
)
# Asks for an account of everything instead of one fact.
OVERVIEW = re.compile(
    r"^\W*(?:please\s+|can\s+you\s+|could\s+you\s+)?"
    r"(?:summari[sz]e|sum\s+up|give\s+(?:me\s+)?(?:an?\s+)?(?:short\s+)?(?:summary|overview)|overview"
    r"|what(?:'s|\s+is)\s+(?:this|the|it)\b.{0,40}\babout\b"
    r"|what(?:'s|\s+is)\s+(?:going\s+on|new)\b)",
    re.IGNORECASE,
)


def needs_search(body: dict[str, Any]) -> bool:
    """Whether the last question stands unanswered and the search tool is offered but was not used for it yet."""
    if SEARCH not in [tool.get("name") for tool in body.get("tools", [])]:
        return False
    if (body.get("tool_choice") or {}).get("type") == "none":
        return False
    index, question = last_question(body["messages"])
    return index >= 0 and not is_small_talk(question) and not _results_after(body["messages"], index)


def is_small_talk(question: str) -> bool:
    """Greetings, thanks, and questions about the assistant."""
    return bool(GREETING.match(question) or ABOUT_SELF.search(question))


def search_input(body: dict[str, Any]) -> dict[str, Any]:
    """The input of the search tool: the question's content words, with those of the question before when it leans on
    it.
    """
    index, question = last_question(body["messages"])
    words = content_words(question)
    if leans(question, fewer_than=6):
        before, earlier = last_question(body["messages"][:index])
        if before >= 0 and not is_small_talk(earlier):
            words = [*content_words(earlier), *words]
    if OVERVIEW.search(question):
        words += content_words(record_name(text_of(body.get("system", ""))))
    return {"query": " ".join(dict.fromkeys(words)) or question}


def leans(question: str, fewer_than: int) -> bool:
    """Whether a question is understood only with the one before it. fewer_than: content words of one that points
    back.
    """
    count = len(content_words(question))
    return (count < fewer_than and bool(LEANING.search(question))) or (count < 2 and bool(BARE.search(question)))


def spoken_answer(body: dict[str, Any]) -> str:
    """The answer in words: quotes with their numbers, or that nothing was found."""
    index, question = last_question(body["messages"])
    if index < 0 or is_small_talk(question):
        return SELF
    system = text_of(body.get("system", ""))
    fields = [*lines(system, "fields"), *lines(system, "status")]
    found = list(passages("\n".join(_results_after(body["messages"], index))))
    if OVERVIEW.search(question):
        return "\n".join(best_points(found, question)) or NOT_FOUND
    quotes = next(filter(None, (answer(asked, found, fields) for asked in _readings(body, index, question))), None)
    if not quotes:
        return NOT_FOUND
    return "\n\n".join(f"{spoken(quote.sentence)} [{quote.n}]" if quote.n else quote.sentence for quote in quotes)


def _readings(body: dict[str, Any], index: int, question: str) -> Iterator[str]:
    """How the question may be meant: with what it seems to lean on, then by itself, where it says enough.

    "Who keeps the same anchors?" points at nothing that was said before.
    """
    name = content_words(record_name(text_of(body.get("system", ""))))
    if leans(question, fewer_than=4):
        before, earlier = last_question(body["messages"][:index])
        if before >= 0 and not is_small_talk(earlier):
            yield _without(f"{earlier} {question}", name)
            if len(content_words(question)) < 2:
                return
    yield _without(question, name)


def _without(question: str, name: list[str]) -> str:
    """The question without the record's own name, which every passage is about."""
    asked = question
    for word in name:
        asked = re.sub(rf"\b{re.escape(word)}\b", " ", asked)
    return asked if content_words(asked) else question


def _results_after(messages: list[dict[str, Any]], index: int) -> list[str]:
    """What tools returned since the message at `index`."""
    found = []
    for message in messages[index + 1 :]:
        if message["role"] == "user" and not isinstance(message["content"], str):
            found += [text_of([block]) for block in message["content"] if block.get("type") == "tool_result"]
    return found


def title_of(prompt: str) -> str:
    """A title made of the first words of a message."""
    words = element(prompt, "message").split()
    short = " ".join(words[:7]).rstrip(".,;:!?")
    return short[:80] or "New conversation"

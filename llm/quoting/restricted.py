"""The offline engine where others read along: its tools look first in what all of these may see, and in what only the
person asking may see where that does not answer.
"""

from typing import Any

from llm.prompts import RESTRICTED
from llm.quoting.chatting import SEARCH, choose_next_call, find_answer_text, search_input
from llm.quoting.overview_questions import READ
from llm.quoting.reading import extract_text, find_last_question, record_name
from llm.quoting.tool_results import OWN_FIELDS, collect_results

MIN_LOOKS = 2
"""After so many calls that did not answer it looks no further in what all may see: a turn has four."""


def choose_call(body: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """`choose_next_call`; where a tool offers the choice, what is restricted is looked in before it is said that
    nothing was found: the record's own fields, then passages.
    """
    call = choose_next_call(body)
    tools = {tool.get("name"): tool.get("input_schema", {}).get("properties", {}) for tool in body.get("tools", [])}
    if RESTRICTED not in tools.get(SEARCH, {}) or (body.get("tool_choice") or {}).get("type") == "none":
        return call
    results = collect_results(body["messages"], find_last_question(body["messages"])[0])
    looked = {result.name for result in results if result.asked.get(RESTRICTED)}
    if call is not None and not looked and len(results) < MIN_LOOKS:
        return call
    if find_answer_text(body):
        return None if looked else call
    if READ not in looked and READ in tools and record_name(extract_text(body.get("system", ""))):
        return READ, {**OWN_FIELDS, RESTRICTED: True}
    if SEARCH not in looked:
        return SEARCH, {**search_input(body), RESTRICTED: True}
    return None if call is None else (call[0], {**call[1], RESTRICTED: True})

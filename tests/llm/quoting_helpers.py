"""Asking the offline engine as the application does."""

import re
from typing import Any

from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, PUBLIC, SECRET
from llm import prompts
from llm.labels import read_labels
from llm.messages import Reply, Usage
from llm.prompts import Level, NumberedPassage, PromptAgent, PromptDocument, Record
from llm.quoting import engine

SEEDED = [
    Level(PUBLIC, "Public"),
    Level(INTERNAL, "Internal"),
    Level(CONFIDENTIAL, "Confidential"),
    Level(PII, "PII"),
    Level(PII_SENSITIVE, "PII-Sensitive"),
    Level(FINANCIAL, "Financial"),
    Level(SECRET, "Secret"),
]
EXPORT = Level(7, "Export Controlled", "Technology and data subject to export control regulations.")
PRIVILEGED = Level(8, "Attorney-Client", "Legal memos, litigation strategy and privileged advice.")
TOOLS = [{"name": "search_knowledge", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}]
LEASE = Record("Contract", "Quay lease", {"Status": "Active", "Counterparty": "Port of Skerrow"}, ["Tasks: 2 open"])
DOCUMENTS = [
    PromptDocument(
        "MSA.pdf",
        [
            NumberedPassage(
                4,
                "# 9 Liability\n\nThe total liability of the Supplier is limited to two million euros. "
                "Nothing limits liability for fraud.",
            ),
            NumberedPassage(
                7, "Either party may terminate with ninety days' written notice. Notices go to the registered office."
            ),
        ],
    ),
    PromptDocument(
        "Minutes",
        [NumberedPassage(9, "Ingrid Solheim inspected Sector 7 on 17 September 2026 and found two corroded plates.")],
    ),
]


def classified(paragraphs, levels=tuple(SEEDED)):
    prompt = prompts.classify_window(list(levels), paragraphs)
    answer = engine.answer(body(prompt.request, tool_choice=prompt.tool_choice))
    (tool,) = answer.tools
    reply = Reply("", (tool,), "tool_use", Usage(), "m", True)
    return read_labels(reply, count=len(paragraphs), levels=[level.value for level in levels])


def body(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    kept = {key: value for key, value in request.items() if value}
    return {**kept, "tools": list(request.get("tools") or []), **more}


def said(answer):
    return "".join(answer.deltas)


def chat(question, documents=DOCUMENTS, history=(), searched=True):
    messages = [*history, {"role": "user", "content": question}]
    if searched:
        use = {"type": "tool_use", "id": "t", "name": "search_knowledge", "input": {"query": "x"}}
        result = {"type": "tool_result", "tool_use_id": "t", "content": prompts.render_passages(documents).text}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    system = prompts.build_chat_system(PromptAgent("Assistant"), LEASE)
    return engine.answer({"system": system, "messages": messages, "tools": TOOLS, "max_tokens": 2000})


def quotes(text):
    """(sentence, number) of each line of an answer."""
    return [(m[1].removeprefix("- "), int(m[2])) for m in re.finditer(r"^(.*) \[(\d+)\]$", text, re.MULTILINE)]


def flat(text):
    return " ".join(text.split())

"""A request to the Messages API as a request to the Chat Completions API.

An allow-list: a field or a block that has no translation here is refused, and never left out in silence.
"""

import json
from collections.abc import Collection
from typing import Any

from llm.models_catalogue import CATALOGUE
from llm.tokens import CHARACTERS

Blocks = list[dict[str, Any]]

FIELDS = {"max_tokens", "messages", "model", "stream", "system", "thinking", "tool_choice", "tools"}
TOOL_FIELDS = {"cache_control", "description", "input_schema", "name", "type"}
NO_THINKING = ("disabled", "between_tools")
CHOICES = {"auto": "auto", "any": "required", "none": "none"}
REASONING_ROOM = 6_000
"""Tokens. Models that take `max_completion_tokens` alone count what they think into it, as some of Anthropic's do.
Those of the catalogue that do have their room already (`Model.headroom`)."""
PICTURE_TOKENS = 1_500
"""Of a picture, which servers count in different ways."""


class Untranslatable(Exception):
    """The Chat Completions API has no form for a part of the request. The message names its type, never its text."""


def translate_request(body: dict[str, Any], fallbacks: Collection[str] = ()) -> dict[str, Any]:
    """fallbacks: fields that the server refuses in their usual form (`find_fallback`). Raises: Untranslatable."""
    _refuse(body.keys() - FIELDS, "field")
    if not body.get("stream"):
        raise Untranslatable("Streams alone are translated.")
    if body.get("thinking") and body["thinking"].get("type") not in NO_THINKING:
        raise Untranslatable("Thinking cannot be asked for.")
    messages = [{"role": "system", "content": _join_texts(body["system"])}] if body.get("system") else []
    for message in body["messages"]:
        messages += _translate_message(message)
    sent: dict[str, Any] = {"model": body["model"], "messages": messages, "stream": True}
    if "max_tokens" in fallbacks:
        known = CATALOGUE.get(body["model"])
        has_room = known is not None and known.headroom > 0
        sent["max_completion_tokens"] = body["max_tokens"] + (0 if has_room else REASONING_ROOM)
    else:
        sent["max_tokens"] = body["max_tokens"]
    if body.get("tools"):
        sent["tools"] = [_translate_tool(tool) for tool in body["tools"]]
        if "tool_choice" in body:
            sent["tool_choice"] = _translate_choice(body["tool_choice"], "tool_choice" in fallbacks)
    if "stream_options" not in fallbacks:
        sent["stream_options"] = {"include_usage": True}
    return sent


def find_fallback(status: int, complaint: str, sent: dict[str, Any]) -> str:
    """The field of a refused request that is sent in another form the next time; "" for none. complaint: as
    `read_complaint` has it.

    OpenAI's newer models take `max_completion_tokens` only. Some servers know no `stream_options`. LM Studio refuses a
    choice that names a tool; of a single tool "required" says the same.
    """
    if status not in (400, 422):
        return ""
    if "max_completion_tokens" in complaint and "max_tokens" in sent:
        return "max_tokens"
    if "stream_options" in complaint and "stream_options" in sent:
        return "stream_options"
    names_one = isinstance(sent.get("tool_choice"), dict) and len(sent["tools"]) == 1
    return "tool_choice" if "tool_choice" in complaint and names_one else ""


def estimate_tokens(sent: dict[str, Any], length: int) -> int:
    """Of a translated request, where the server counts none. length: its characters as JSON."""
    lists = [message["content"] for message in sent["messages"] if isinstance(message["content"], list)]
    pictures = [part for parts in lists for part in parts if part["type"] == "image_url"]
    shown = sum(len(picture["image_url"]["url"]) for picture in pictures)
    return PICTURE_TOKENS * len(pictures) + -(-(length - shown) // CHARACTERS)


def _translate_message(message: dict[str, Any]) -> Blocks:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    match message["role"]:
        case "user":
            return _translate_user(blocks)
        case "assistant":
            return [_translate_assistant(blocks)]
        case role:
            raise Untranslatable(f"There is no message of the role {role!r}.")


def _translate_user(blocks: Blocks) -> Blocks:
    """Results of tools have to stand directly behind the calls that they answer."""
    results = [block for block in blocks if block["type"] == "tool_result"]
    others = [block for block in blocks if block["type"] != "tool_result"]
    messages = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _format_result(block)} for block in results
    ]
    if any(block["type"] == "image" for block in others):
        messages.append({"role": "user", "content": [_translate_part(block) for block in others]})
    elif others:
        messages.append({"role": "user", "content": _join_texts(others)})
    return messages


def _translate_assistant(blocks: Blocks) -> dict[str, Any]:
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    text = _join_texts([block for block in blocks if block["type"] != "tool_use"])
    if not calls:
        return {"role": "assistant", "content": text}
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _translate_part(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    source = block.get("source") or {}
    if block["type"] != "image" or source.get("type") != "base64":
        _refuse([block["type"]], "block")
    return {"type": "image_url", "image_url": {"url": f"data:{source['media_type']};base64,{source['data']}"}}


def _format_result(block: dict[str, Any]) -> str:
    text = _join_texts(block.get("content") or "")
    return f"Error: {text}" if block.get("is_error") else text


def _join_texts(content: str | Blocks) -> str:
    """One text: many servers take no list of texts."""
    if isinstance(content, str):
        return content
    _refuse([block["type"] for block in content if block["type"] != "text"], "block")
    return "\n".join(block["text"] for block in content)


def _translate_tool(tool: dict[str, Any]) -> dict[str, Any]:
    _refuse(tool.keys() - TOOL_FIELDS, "field of a tool")
    if tool.get("type", "custom") != "custom":
        _refuse([tool["type"]], "tool")
    function = {"name": tool["name"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": {**function, "description": tool.get("description", "")}}


def _translate_choice(choice: dict[str, Any], only_words: bool) -> str | dict[str, Any]:
    """only_words: the server takes no choice that names a tool."""
    _refuse(choice.keys() - {"type", "name"}, "field of a choice")
    if choice["type"] != "tool":
        return CHOICES[choice["type"]]
    return "required" if only_words else {"type": "function", "function": {"name": choice["name"]}}


def _refuse(unknown: Collection[str], what: str) -> None:
    if unknown:
        raise Untranslatable(f"The Chat Completions API has no {what} {min(unknown)!r}.")

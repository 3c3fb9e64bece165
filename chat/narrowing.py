"""Where others read along, what all of them may read is given and looked at first (docs/adr/0077).

A prompt begins with what the label of its question needs anyway and what everybody holds who reads the conversation.
What else its asker may read comes by tool, where that does not answer. No label depends on this: an answer has the
labels of what was in its prompt, whoever reads it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chat.context import list_mentioned_labels, list_tools
from chat.mentions import find_place
from chat.models import Session, Turn
from chat.places import MENTIONED
from chat.running import Run
from chat.steps import Asker, run_as_service
from chat.tools import BadCall, ToolFindings
from entities.access import Scope, list_atoms, load_granted_atoms
from llm.prompts import RESTRICTED

NARROWED_TOOLS = ("search_knowledge", "read_documents")
LOOKED = (
    "This is from what everybody who reads this conversation may see. Where it does not answer the question, call again"
    f' with "{RESTRICTED}": true.'
)
CHOICE: dict[str, Any] = {
    "type": "boolean",
    "description": (
        "Look also in what the person asking may see and not everybody else who reads this conversation: only where the"
        " rest does not answer, for the others will not see the answer. The fields and the history that you were given"
        " are without it, too."
    ),
}


@dataclass(frozen=True)
class PromptStart:
    """atoms: of what a prompt begins with, None for all that its asker holds."""

    atoms: frozenset[int] | None
    tools: tuple[dict[str, Any], ...]


def load_start(
    scope: Scope, session: Session, turn: Turn, question: str, common: frozenset[int], label: int
) -> PromptStart:
    """How the prompt of a turn begins that others read along, in the asker's scope. common: as `load_common_atoms`.
    label: of the question. What it mentions of another conversation is asked for by name, and goes in.
    """
    needed = [label, *list_mentioned_labels(scope, session, turn, question)]
    atoms = common.union(*(list_atoms(one) for one in needed))
    tools = list_tools(scope, session, MENTIONED if find_place(scope, turn) else turn.look_in)
    if load_granted_atoms() <= atoms:
        return PromptStart(None, tools)
    return PromptStart(atoms, tuple(_add_choice(tool) if tool["name"] in NARROWED_TOOLS else tool for tool in tools))


async def look_narrowed(
    run: Run, asked: Mapping[str, Any], look: Callable[[Asker], Awaitable[ToolFindings]]
) -> ToolFindings:
    """`look` with the clearances that the answer needs so far or everybody holds; with all that the asker has where
    this gives no passage, or the model asks for it. Raises: BadCall.
    """
    if run.atoms is None or asked.get(RESTRICTED) is True:
        return await look(run.asker)
    needed = await run_as_service(run.asker.workspace, _list_needed, run.label)
    try:
        found = await look(replace(run.asker, atoms=run.atoms | needed))
    except BadCall:
        return await look(run.asker)
    if not found.passages:
        return await look(run.asker)
    notes = "\n".join(filter(None, (found.notes, LOOKED)))
    return replace(found, text=f"{found.text}\n{LOOKED}", notes=notes)


def _add_choice(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool["input_schema"]
    return {**tool, "input_schema": {**schema, "properties": {**schema["properties"], RESTRICTED: CHOICE}}}


def _list_needed(scope: Scope, label: int) -> frozenset[int]:
    return frozenset(list_atoms(label))

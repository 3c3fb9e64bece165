"""The agents that a conversation may be with. Their words for the model are in templates/prompts/."""

from dataclasses import dataclass, field

from llm import prompts
from llm.models_catalogue import Tier


@dataclass(frozen=True)
class Agent:
    """tools: names in `chat.context.TOOLS` that it may call."""

    key: str
    name: str
    icon: str
    color: str
    purpose: str
    tier: Tier = "standard"
    instructions: str = ""
    tools: tuple[str, ...] = field(default_factory=tuple)

    @property
    def prompt(self) -> prompts.PromptAgent:
        return prompts.PromptAgent(self.name, self.purpose, self.instructions)


ASSISTANT = Agent(
    key="assistant",
    name="Assistant",
    icon="message-circle",
    color="blue",
    purpose="Answer questions about records from their documents and fields, and say where each statement stands.",
    tools=("search_knowledge", "read_documents", "list_records"),
)
AGENTS = {agent.key: agent for agent in (ASSISTANT,)}


def get_agent(key: str) -> Agent:
    """The agent of a session; one that is no longer declared is answered for by the assistant."""
    return AGENTS.get(key, ASSISTANT)

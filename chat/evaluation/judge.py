"""A model that judges answers, where the workspace has one: whether each statement is borne out, and what was asked is
answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.evaluation.figures import list_statements
from llm import client
from llm.client import Call
from llm.endpoints import get_endpoint
from llm.judging import Verdict, build_judge_prompt, get_prompt_version, read_verdicts
from llm.models_catalogue import Tier
from llm.prompts import NumberedPassage, PromptDocument
from llm.transport import choose_transport
from retrieval.locate import ResolvedCitation

TIER: Tier = "deep"
ATTEMPTS = 3
"""Of a verdict that is not what was asked for, the last with the tool's name again, for models that take no forced one.
One that cannot be reached is tried again by the client."""


@dataclass(frozen=True)
class Judge:
    """name: of its model and of the version of its prompt, which are stored with its verdicts."""

    workspace: int
    principal: int
    name: str

    def judge(self, question: str, answer: str, given: Sequence[ResolvedCitation]) -> Verdict:
        """given: the passages that the answer was made from, as its reader may read them. With no scope open.

        Raises: ValueError where there is no verdict: that is no figure.
        """
        statements = list_statements(answer)
        documents = [
            PromptDocument(one.name, [NumberedPassage(one.n, one.located.text)]) for one in given if one.located
        ]
        call = Call(self.workspace, self.principal, "judge", TIER)
        for attempt in range(1, ATTEMPTS + 1):
            prompt = build_judge_prompt(question, statements, documents, insists=attempt == ATTEMPTS)
            try:
                reply = client.complete(call, **prompt.request)
            except client.ModelError as problem:
                raise ValueError(f"The judge failed: {problem}") from problem
            verdict = read_verdicts(reply.tool_uses, len(statements))
            if verdict is not None:
                return verdict
        raise ValueError("The judge gave no verdict on every statement.")


def choose_judge(workspace: int, principal: int) -> Judge | None:
    """None where no model is configured: the support check judges."""
    endpoint = get_endpoint(workspace)
    if endpoint.is_offline or choose_transport(endpoint) == "offline":
        return None
    return Judge(workspace, principal, f"{endpoint.find_model(TIER).name}, prompt {get_prompt_version()}")

"""What browsers say on their consoles while people use the pages."""

from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Page, Request


@dataclass
class Complaints:
    """Whatever the browsers said. refused: addresses that were asked for in order to be refused.

    abandoned: requests that the browser gave up because its page was left. htmx reports each of them in two messages
    (`unanswered`), and may report no others.
    """

    heard: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    abandoned: int = 0
    refused: set[str] = field(default_factory=set)

    def listen(self, page: Page) -> None:
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("requestfailed", self.give_up)

    def give_up(self, request: Request) -> None:
        self.abandoned += request.failure == "net::ERR_ABORTED"

    def hear(self, message: ConsoleMessage) -> None:
        if message.text.startswith(("htmx:afterRequest", "htmx:sendError")):
            self.unanswered.append(message.text)
        elif not (message.type == "error" and message.location["url"] in self.refused):
            self.heard.append(f"{message.type}: {message.text} {message.location['url']}")

"""Which model a tier means, what it costs and which request settings it accepts.

Prices and settings: Anthropic's model pages and migration guides, as read in November 2026. The setting `MODEL_TIERS`
names the model of each tier. One that is not listed here, such as a local server's, needs its price in
`MODEL_PRICES`, in USD per million tokens of input and output:

    MODEL_TIERS = {"fast": "local-70b", …}
    MODEL_PRICES = {"local-70b": ("0", "0")}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from django.conf import settings

Tier = Literal["fast", "standard", "deep"]
TIERS: tuple[Tier, ...] = get_args(Tier)
MILLION = Decimal(1_000_000)


class CatalogueError(ValueError):
    """The settings of the models cannot be used; the message says why."""


@dataclass(frozen=True)
class Price:
    """USD per million tokens. `written`: input that enters the prompt cache; `read`: input read from it."""

    input: Decimal
    output: Decimal
    written: Decimal
    read: Decimal

    def compute_cost(self, *, fresh: int, written: int, read: int, output: int) -> Decimal:
        """USD of one call, to a millionth of a dollar."""
        total = self.input * fresh + self.written * written + self.read * read + self.output * output
        return (total / MILLION).quantize(Decimal("0.000001"))


@dataclass(frozen=True)
class Model:
    """forced_tool: a `tool_choice` that names a tool is accepted (newer models answer 400; they get "auto" instead).

    thinking: the request setting that keeps thinking before the answer off, where it can be. headroom: tokens added to
    `max_tokens` where it cannot. long_price: price of a whole call whose input is above `long_above` tokens.
    """

    name: str
    price: Price
    forced_tool: bool = True
    thinking: Mapping[str, str] | None = None
    headroom: int = 0
    long_above: int = 0
    long_price: Price | None = None

    @property
    def is_free(self) -> bool:
        return not (self.price.input or self.price.output)

    def cost(self, *, fresh: int, written: int, read: int, output: int) -> Decimal:
        """USD of one call."""
        long = self.long_price is not None and fresh + written + read > self.long_above
        price = self.long_price if long and self.long_price else self.price
        return price.compute_cost(fresh=fresh, written=written, read=read, output=output)


def _build_price(input: str, output: str, written: str | None = None, read: str | None = None) -> Price:
    base = Decimal(input)
    return Price(
        input=base,
        output=Decimal(output),
        written=Decimal(written) if written else base * Decimal("1.25"),
        read=Decimal(read) if read else base / 10,
    )


_OFF = {"type": "disabled"}
_KNOWN = (
    Model(
        "claude-haiku-5-5",
        _build_price("0.10", "0.50"),
        thinking=_OFF,
        long_above=100_000,
        long_price=_build_price("0.50", "2.50"),
    ),
    Model("claude-haiku-4-5", _build_price("1", "5")),
    Model("claude-sonnet-5-5", _build_price("2", "10"), forced_tool=False, thinking={"type": "between_tools"}),
    Model("claude-sonnet-5", _build_price("2", "10"), thinking=_OFF),
    Model("claude-sonnet-4-6", _build_price("3", "15")),
    Model("claude-opus-5-5", _build_price("4", "20", read="0.20"), forced_tool=False, headroom=6000),
    Model("claude-opus-5", _build_price("5", "25"), thinking=_OFF),
    Model("claude-opus-4-8", _build_price("5", "25")),
)
CATALOGUE: Mapping[str, Model] = {model.name: model for model in _KNOWN}
OFFLINE = Model("offline-extractive", _build_price("0", "0"))


def get_tier_model(tier: str) -> Model:
    """The model of a tier by the settings. Raises: CatalogueError."""
    if tier not in TIERS:
        raise CatalogueError(f"There is no model tier {tier!r}; the tiers are {', '.join(TIERS)}.")
    return find_model(settings.MODEL_TIERS[tier])


def find_model(name: str, *, free: bool = False) -> Model:
    """A model by its name. free: one whose price is not known costs nothing, as on a server of one's own.

    Raises: CatalogueError.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    prices = getattr(settings, "MODEL_PRICES", {})
    if name not in prices:
        if free:
            return Model(name, _build_price("0", "0"))
        raise CatalogueError(f"The price of {name!r} is not known: give it in MODEL_PRICES.")
    try:
        input, output = prices[name]
        return Model(name, _build_price(str(input), str(output)))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise CatalogueError(f"MODEL_PRICES[{name!r}] is not a pair of prices: {error}.") from error

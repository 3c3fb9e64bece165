"""What chat/api.py and chat/turn_api.py are sent, and how their answers look."""

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from chat.confidence import Confidence
from chat.models import LookIn, Role, State
from entities.api.shapes import VERSION_HELP, Label, Placeholder, RecordRef, build_union
from entities.models import Weight

EVENTS = OpenApiResponse(
    str,
    "Server-sent events, each with `id`, `event` (`step`, `started`, `token`, `citation`, then `done`, `stopped` or "
    "`error`) and JSON `data`.",
)


class NewSession(serializers.Serializer):
    """entity: the record that it is about; none for the workspace."""

    entity = serializers.UUIDField(required=False, allow_null=True)
    agent = serializers.CharField(required=False)
    visibility = serializers.CharField(
        required=False,
        max_length=110,
        help_text="Who reads it, for good: `private` (the default); `record` for who may see the record, or everybody"
        " in the workspace; or `role <name>` for the members of one of your roles.",
    )


class SessionChange(serializers.Serializer):
    title = serializers.CharField(required=False, max_length=120)
    pinned = serializers.BooleanField(required=False)
    archived = serializers.BooleanField(required=False)


class NewMessage(serializers.Serializer):
    content = serializers.CharField(trim_whitespace=False)
    client_id = serializers.CharField(
        required=False, max_length=64, help_text="A key of your own; the same one again is the same turn."
    )
    look_in = serializers.ChoiceField(
        LookIn.choices,
        required=False,
        allow_blank=True,
        help_text="Where to look at most, of a record's conversation; without it, where the agent thinks fit.",
    )
    new_subject = serializers.BooleanField(
        required=False,
        help_text="Where others read along: the question repeats nothing of the conversation so far, so it needs no"
        " clearance for that. Whoever asks vouches for it.",
    )
    records = serializers.ListField(
        child=serializers.UUIDField(), required=False, help_text="Mentioned: the question looks in what is mentioned."
    )
    files = serializers.ListField(child=serializers.UUIDField(), required=False)
    folders = serializers.ListField(
        child=serializers.UUIDField(), required=False, help_text="Each by a file that stands in it."
    )
    conversations = serializers.ListField(
        child=serializers.UUIDField(), required=False, help_text="Those that have the readers of this one, or more."
    )


MENTIONS = ("records", "files", "folders", "conversations")
"""Fields of a new message, each the plural of a kind of `chat.mentions`."""


class TurnRating(serializers.Serializer):
    """1 for good, -1 for bad, 0 to take it back."""

    rating = serializers.IntegerField(min_value=-1, max_value=1)


class AgentSerializer(serializers.Serializer):
    key = serializers.CharField()
    name = serializers.CharField()
    icon = serializers.CharField()
    color = serializers.CharField()


class SessionSerializer(serializers.Serializer):
    """entity: null for a conversation about the workspace. title: null until it has been labelled, and for who is not
    cleared for it. visibility: as it was chosen. owner: the name of who began it; mine: you did, and may change it.
    """

    id = serializers.UUIDField()
    version = serializers.CharField(help_text=VERSION_HELP)
    entity = RecordRef(allow_null=True)
    agent = AgentSerializer()
    title = serializers.CharField(allow_null=True)
    visibility = serializers.CharField()
    owner = serializers.CharField()
    mine = serializers.BooleanField()
    pinned = serializers.BooleanField()
    archived = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    last_message_at = serializers.DateTimeField(allow_null=True)


class MessageSerializer(serializers.Serializer):
    """labels: of everything that went into it."""

    id = serializers.UUIDField()
    turn = serializers.UUIDField()
    role = serializers.ChoiceField(Role.values)
    content = serializers.CharField()
    labels = Label(many=True)
    created_at = serializers.DateTimeField()


class ClosestSerializer(serializers.Serializer):
    """A passage that comes near the question, whole; text and name are plain text, not Markdown. n: in the address of
    its citation. sentence: its nearest one, "" for none. url: where it opens.
    """

    n = serializers.IntegerField()
    text = serializers.CharField()
    sentence = serializers.CharField()
    name = serializers.CharField()
    where = serializers.CharField()
    url = serializers.CharField()
    labels = Label(many=True)


class AnswerMessageSerializer(MessageSerializer):
    """confidence: of an answer without a model: it quotes, it shows what comes nearest, or nothing is near; null for a
    model's. closest: up to five passages, where nothing is quoted.
    """

    confidence = serializers.ChoiceField(list(Confidence), allow_null=True)
    closest = ClosestSerializer(many=True)


class ListedMessage(MessageSerializer):
    """asker: the name of who asked, or was answered. confidence and closest: of an answer."""

    asker = serializers.CharField()
    type = serializers.ChoiceField(["text"])
    confidence = serializers.ChoiceField(list(Confidence), allow_null=True, required=False)
    closest = ClosestSerializer(many=True, required=False)


class HiddenMessage(Placeholder):
    asker = serializers.CharField()
    role = serializers.ChoiceField(Role.values)
    turn = serializers.UUIDField()


ANY_MESSAGE = build_union("AnyMessage", ListedMessage, HiddenMessage)


class TurnError(serializers.Serializer):
    """code: the turn's state."""

    code = serializers.CharField()
    detail = serializers.CharField()


class DrewOnSerializer(serializers.Serializer):
    """How many passages, and fields of records; names of other records; lists of records."""

    passages = serializers.IntegerField()
    names = serializers.IntegerField()
    counts = serializers.IntegerField()


class TurnSerializer(serializers.Serializer):
    """message: the answer as far as it is written. drew_on: what went into it. removed_with_source: there is no answer
    any more, because a source that the caller could see was deleted. offline: no model was asked. events: the address
    of the stream. mine: you asked; rating: yours.
    """

    id = serializers.UUIDField()
    session = serializers.UUIDField()
    state = serializers.ChoiceField(State.values)
    look_in = serializers.ChoiceField(LookIn.choices, allow_blank=True)
    mine = serializers.BooleanField()
    rating = serializers.IntegerField()
    error = TurnError(allow_null=True)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    question = MessageSerializer(allow_null=True)
    message = build_union("Answer", AnswerMessageSerializer, Placeholder, allow_null=True)
    drew_on = DrewOnSerializer(allow_null=True)
    removed_with_source = serializers.BooleanField()
    offline = serializers.BooleanField()
    events = serializers.CharField()


class PostedSerializer(serializers.Serializer):
    turn = serializers.UUIDField()
    events = serializers.CharField()


class StoppingSerializer(serializers.Serializer):
    """stopping: false where the turn had ended already."""

    stopping = serializers.BooleanField()


class LayerSerializer(serializers.Serializer):
    name = serializers.CharField()
    tokens = serializers.IntegerField()


class GivenSerializer(serializers.Serializer):
    n = serializers.IntegerField()
    name = serializers.CharField()
    where = serializers.CharField()
    url = serializers.CharField(allow_null=True)
    why = serializers.CharField(allow_blank=True)


class RecalledSerializer(serializers.Serializer):
    """An earlier turn of the conversation that was said again."""

    number = serializers.IntegerField()
    turn = serializers.UUIDField()


class SourceRecordSerializer(serializers.Serializer):
    """A record that went into the answer. gave: its text, its name, or a number. passages: of its text. listed: records
    of which the answer was given a number, asked about this one.
    """

    entity = RecordRef()
    gave = serializers.ChoiceField(Weight.values)
    passages = serializers.IntegerField()
    listed = serializers.IntegerField()


class TurnUsageSerializer(serializers.Serializer):
    """Tokens, and USD as `cost`; empty until a model has answered."""

    input = serializers.IntegerField(required=False)
    output = serializers.IntegerField(required=False)
    cached = serializers.IntegerField(required=False)
    cost = serializers.CharField(required=False)
    calls = serializers.IntegerField(required=False)
    model = serializers.CharField(required=False)
    offline = serializers.BooleanField(required=False)


class ContextSerializer(serializers.Serializer):
    """How `inspector.Inspected.as_json` looks. dropped: what did not fit, in words."""

    layers = LayerSerializer(many=True)
    tokens = serializers.IntegerField()
    passages = GivenSerializer(many=True)
    recalled = RecalledSerializer(many=True)
    sources = SourceRecordSerializer(many=True)
    dropped = serializers.ListField(child=serializers.CharField())
    usage = TurnUsageSerializer()

"""The reference monitor: who may see what, in plain Python with no database and none of the application's code.

The property tests plant a world in the database, ask every read path, and compare with this (design §2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PUBLIC: frozenset[int] = frozenset()
LEVELS = frozenset(range(1, 7))
"""Those that every workspace has from the start."""


@dataclass(frozen=True)
class Role:
    name: str
    atoms: frozenset[int]
    steward: bool = False


@dataclass(frozen=True)
class Clearance:
    """Of one person, whatever their roles hold."""

    atom: int
    expired: bool = False


@dataclass(frozen=True)
class Person:
    """narrowed: a role to whose clearances and permissions the person is held as well (view-as)."""

    name: str
    roles: frozenset[str]
    narrowed: str | None = None
    own: tuple[Clearance, ...] = ()


@dataclass(frozen=True)
class Grant:
    """To a person (`who` in people) or a role (`who` in roles)."""

    who: str
    verb: str
    expired: bool = False


@dataclass(frozen=True)
class Record:
    """name: unique in the world. kind: "contract" (open by default, with a value that needs Financial), "employee", or
    "article", of which Red may view and change what is not sensitive. binned: somebody has deleted it.
    """

    name: str
    kind: str
    visibility: str
    creator: str
    grants: tuple[Grant, ...] = ()
    sensitive: bool = False
    binned: bool = False


@dataclass(frozen=True)
class Text:
    """A text on a record. label None is unlabelled. audience: None for everybody, else a person or a role.

    sources: other records that it was drawn from. card: the record's own description. What has neither an audience nor
    sources, and is no card, is a paragraph of the record's file; what is for one person was said in their conversation
    about the record. rests: nobody has judged it.
    """

    words: str
    record: str
    label: frozenset[int] | None
    audience: str | None = None
    sources: frozenset[str] = frozenset()
    card: bool = False
    rests: bool = False

    @property
    def passage(self) -> bool:
        return self.audience is None and not self.sources and not self.card

    @property
    def said(self) -> bool:
        """Names of people begin small, those of roles do not."""
        return self.audience is not None and self.audience.islower() and not self.card

    @property
    def kind(self) -> str:
        """Of its row in the index."""
        if self.said:
            return "chat_message"
        return "metadata" if self.card else "file_chunk" if self.passage else "relationship"


def repeats_previous(texts: Sequence[Text], n: int) -> bool:
    """Whether answer n of a conversation, from 0, was given the one before: that has a label then."""
    return n % 3 == 1 and texts[n - 1].label is not None


def list_text_sources(texts: Sequence[Text]) -> list[frozenset[str]]:
    """The records behind each answer of a conversation: those of its text, and those behind what it was given of it."""
    behind: list[frozenset[str]] = []
    for n, text in enumerate(texts):
        behind.append(text.sources | (behind[n - 1] if repeats_previous(texts, n) else frozenset()))
    return behind


@dataclass(frozen=True)
class World:
    roles: tuple[Role, ...]
    people: tuple[Person, ...]
    records: tuple[Record, ...]
    texts: tuple[Text, ...]
    concealed: frozenset[int] = field(default_factory=frozenset)
    unaccounted: frozenset[str] = field(default_factory=frozenset)  # records of whose file something has no label
    hides: Mapping[str, frozenset[int]] = field(default_factory=dict)  # by record: label of what its file does not show
    sent: Mapping[str, str] = field(default_factory=dict)  # by record: who sent its file, as it is published

    def role(self, name: str) -> Role:
        return next(r for r in self.roles if r.name == name)

    def record(self, name: str) -> Record:
        return next(r for r in self.records if r.name == name)

    # Who is cleared for what

    def by_role(self, person: Person) -> frozenset[int]:
        return frozenset().union(*(self.role(r).atoms for r in person.roles))

    def held(self, person: Person) -> frozenset[int]:
        mine = self.by_role(person) | {c.atom for c in person.own if not c.expired}
        return mine if person.narrowed is None else mine & self.role(person.narrowed).atoms

    def roles_now(self, person: Person) -> frozenset[str]:
        """Who is held to a role has that one at most."""
        return person.roles if person.narrowed is None else person.roles & {person.narrowed}

    def cleared(self, person: Person, label: frozenset[int] | None) -> bool:
        """All atoms of a label must be held; an unlabelled text is for stewards."""
        if label is None:
            return self.steward(person)
        return label <= self.held(person)

    def steward(self, person: Person) -> bool:
        mine = any(self.role(r).steward for r in person.roles)
        return mine and (person.narrowed is None or self.role(person.narrowed).steward)

    def acknowledged(self, person: Person, label: frozenset[int]) -> bool:
        """Whether a text that `person` is not cleared for may show a placeholder."""
        return not (label - self.held(person)) & self.concealed

    # Who may see which record

    def sees(self, person: Person, record: Record, verb: str = "view") -> bool:
        if record.binned:
            return False
        as_role = person.narrowed is None or self.sees_as(None, frozenset({person.narrowed}), record, verb)
        return as_role and self.sees_as(person.name, person.roles, record, verb)

    def sees_as(self, name: str | None, roles: frozenset[str], record: Record, verb: str) -> bool:
        granted = {g.verb for g in record.grants if not g.expired and g.who in {name, *roles}}
        if record.creator == name:
            granted |= {"view", "change", "delete", "upload", "share"}
        if record.visibility == "private":
            return record.creator == name
        viewable = "view" in granted or record.visibility == "workspace" or self.ruled(roles, record, "view")
        return viewable and (verb == "view" or verb in granted or self.ruled(roles, record, verb))

    def ruled(self, roles: frozenset[str], record: Record, verb: str) -> bool:
        if verb in ("delete", "share"):
            return "Admin" in roles
        some = set() if record.sensitive else {"Red"}
        rules = {
            "contract": {"change": {"Editor", "Admin"}, "upload": {"Editor", "Admin"}},
            "employee": {verb: {"HR", "Admin"} for verb in ("view", "change", "upload")},
            "article": {"view": some, "change": some},
        }
        return bool(rules[record.kind].get(verb, set()) & roles)

    # What of it they read

    def reads(self, person: Person, text: Text) -> bool:
        return (
            self.sees(person, self.record(text.record))
            and self.cleared(person, text.label)
            and text.audience in (None, person.name, *self.roles_now(person))
            and all(self.sees(person, self.record(source)) for source in text.sources)
        )

    def reads_sent(self, person: Person, text: Text) -> bool:
        """Who sent a file reads its text while it rests, whatever it rests as; nobody who is held to a role."""
        mine = self.sent.get(text.record) == person.name and person.narrowed is None
        return mine and text.passage and text.rests and self.sees(person, self.record(text.record))

    def index_reads(self, person: Person, text: Text) -> bool:
        """The index holds labelled text only."""
        return text.label is not None and self.reads(person, text)

    def indexed(self, person: Person) -> list[Text]:
        return [text for text in self.texts if self.index_reads(person, text)]

    def old(self, text: Text) -> bool:
        """What is on every second record came in long ago."""
        return self.records.index(self.record(text.record)) % 2 == 0

    def beside(self, person: Person, text: Text, steps: int) -> set[str]:
        """Passages up to `steps` before or after one in its file, among those that are read, never across a label."""
        row = [t for t in self.paragraphs(text.record) if self.index_reads(person, t)]
        place = row.index(text)
        found = set()
        for side in (row[place + 1 :], row[:place][::-1]):
            for near in side[:steps]:
                if near.label != text.label:
                    break
                found.add(near.words)
        return found

    def related(self, person: Person, record: Record) -> set[str]:
        """Records that have a description which is read, as this one has."""
        described = {t.record for t in self.indexed(person) if t.card}
        return described - {record.name} if record.name in described else set()

    # Files: one a record with passages, which are its paragraphs

    def floor(self, record: str) -> frozenset[int]:
        """Files of an employee are in a collection that is PII."""
        return frozenset({3}) if self.record(record).kind == "employee" else PUBLIC

    def paragraphs(self, record: str) -> list[Text]:
        return [text for text in self.texts if text.record == record and text.passage]

    def knows_file(self, person: Person, record: str) -> bool:
        """To stewards every file exists; to others not below a concealed floor, nor where all that is labelled in it is
        concealed.
        """
        labels = [text.label for text in self.paragraphs(record) if text.label is not None]
        shows = not labels or any(self.acknowledged(person, label) for label in labels)
        return self.sees(person, self.record(record)) and (
            self.steward(person)
            or self.sent.get(record) == person.name
            or (self.acknowledged(person, self.floor(record)) and shows)
        )

    def downloads(self, person: Person, record: str) -> bool:
        return self.knows_file(person, record) and (
            self.holds_all(person)
            or (
                self.cleared(person, self.remainder(record))
                and all(self.cleared(person, text.label) for text in self.paragraphs(record))
                and self.floor(record) <= self.held(person)
            )
        )

    def remainder(self, record: str) -> frozenset[int] | None:
        """The label of what the reader does not show of the file."""
        return None if record in self.unaccounted else self.hides.get(record, PUBLIC)

    def holds_all(self, person: Person) -> bool:
        return self.held(person) >= LEVELS

    # References: the text of a number goes from the record of that number to the next one, around

    def reference(self, number: int) -> tuple[Record, Record]:
        return self.records[number % len(self.records)], self.records[(number + 1) % len(self.records)]

    def knows_reference(self, person: Person, number: int) -> bool:
        ends = self.reference(number)
        return self.cleared(person, self.texts[number].label) and all(self.sees(person, end) for end in ends)

    def reached(self, person: Person, start: Record, hops: int) -> set[str]:
        """Names of the records within `hops` references that `person` knows of, in both directions."""
        links = [self.reference(n) for n in range(len(self.texts)) if self.knows_reference(person, n)]
        found = {start.name}
        for _ in range(hops):
            found |= {end.name for link in links if found & {e.name for e in link} for end in link}
        return found

    # Pulses: what `service` may read of an open record goes into the one for the atoms `given`

    def pulse_inputs(self, record: Record, given: frozenset[int]) -> list[Text]:
        return [
            t
            for t in self.texts
            if t.record == record.name
            and t.label is not None
            and t.label <= given
            and t.audience is None
            and all(s == record.name or self.record(s).visibility == "workspace" for s in t.sources)
        ]

    def pulse_label(self, record: Record, given: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*(t.label for t in self.pulse_inputs(record, given) if t.label is not None))

    def pulse_shown(
        self, person: Person, record: Record, service: frozenset[int]
    ) -> tuple[frozenset[int], frozenset[int]]:
        """(the atoms of the Pulse that a person is shown, what a fuller one would need)."""
        held = self.held(person)
        general = service - (self.concealed - held)
        missing = self.pulse_label(record, general) - held
        return (service & held, missing) if missing else (general, frozenset())

"""Worlds that are the same every time."""

from tests.oracle.monitor import PUBLIC, Clearance, Grant, Person, Record, Role, Text, World

CHAIN = World(
    roles=(Role("Editor", PUBLIC), Role("HR", PUBLIC), Role("Red", frozenset({5})), Role("Admin", PUBLIC)),
    people=(Person("ann", frozenset({"Admin"})), Person("ben", frozenset({"Red"})), Person("cas", frozenset())),
    records=tuple(Record(f"record{i}", "contract", "workspace", "nobody") for i in range(4)),
    texts=(
        Text("word0 liability", "record0", PUBLIC),
        Text("word1 liability", "record1", PUBLIC),
        Text("word2 liability", "record2", frozenset({5})),
    ),
)
"""Two open references and a Financial one in a row, an administrator, and no luck needed."""

DIFFERING = World(
    roles=(
        Role("Editor", frozenset({1})), Role("HR", frozenset({3})), Role("Red", frozenset({5})), Role("Admin", PUBLIC)
    ),
    people=(
        Person("ann", frozenset({"Admin"})),
        Person("ben", frozenset({"Red"})),
        Person("cas", frozenset(), own=(Clearance(5, expired=True),)),
    ),
    records=(
        Record("record0", "contract", "workspace", "nobody"),
        Record("record1", "contract", "restricted", "nobody", (Grant("ben", "view"), Grant("cas", "view", True))),
        Record("record2", "contract", "workspace", "nobody", binned=True),
        Record("record3", "employee", "restricted", "nobody"),
    ),
    texts=(
        Text("word0 liability", "record0", PUBLIC),
        Text("word1 liability", "record0", frozenset({5})),
        Text("word2 liability", "record0", frozenset({3, 5})),
        Text("word3 liability", "record0", None),
        Text("word4 liability", "record1", PUBLIC),
        Text("word5 liability", "record2", PUBLIC),
        Text("word6 liability", "record3", frozenset({3})),
        Text("word7 liability", "record0", PUBLIC, audience="ben"),
        Text("word8 liability", "record0", PUBLIC, sources=frozenset({"record1"})),
    ),
)  # fmt: skip
"""As small as a world can be in which each monitor of tests/oracle/test_monitor.py is wrong."""

RICH = World(
    roles=(
        Role("Editor", frozenset({1})),
        Role("HR", frozenset({3})),
        Role("Red", frozenset({5})),
        Role("Admin", frozenset({1, 2, 3}), steward=True),
    ),
    people=(
        Person("ann", frozenset({"Admin"})),
        Person("ben", frozenset({"Red"})),
        Person("cas", frozenset({"HR", "Editor"})),
        Person("dee", frozenset(), own=(Clearance(5), Clearance(3, expired=True))),
    ),
    records=(
        Record("record0", "contract", "workspace", "nobody"),
        Record("record1", "contract", "restricted", "nobody", (Grant("ben", "view"), Grant("HR", "view", True))),
        Record("record2", "contract", "private", "cas", (Grant("ben", "view"),)),
        Record("record3", "employee", "restricted", "nobody"),
        Record("record4", "article", "restricted", "nobody", (Grant("dee", "view", True),)),
        Record("record5", "article", "restricted", "nobody", (Grant("Editor", "view"),), sensitive=True),
        Record("record6", "contract", "workspace", "ben", (Grant("dee", "upload"), Grant("HR", "change"))),
        Record("record7", "contract", "workspace", "nobody"),
    ),
    # The text of a number labels the reference from the record of that number to the next one.
    texts=(
        Text("word0 liability", "record0", PUBLIC),
        Text("word1 liability", "record0", PUBLIC),
        Text("word2 liability", "record0", frozenset({5})),
        Text("word3 liability", "record0", PUBLIC),
        Text("word4 liability", "record0", frozenset({3, 5})),
        Text("word5 liability", "record0", None),
        Text("word6 liability", "record0", frozenset({2})),
        Text("word7 liability", "record1", PUBLIC),
        Text("word8 liability", "record2", PUBLIC),
        Text("word9 liability", "record3", frozenset({3})),
        Text("word10 liability", "record4", PUBLIC),
        Text("word11 liability", "record5", frozenset({1})),
        Text("word12 liability", "record6", PUBLIC),
        Text("word13 liability", "record6", frozenset({2})),
        Text("word20 liability", "record7", frozenset({2})),
        Text("word14 liability", "record0", PUBLIC, audience="ben"),
        Text("word15 liability", "record0", PUBLIC, audience="HR"),
        Text("word16 liability", "record0", PUBLIC, sources=frozenset({"record1"})),
        Text("word17 liability", "record6", frozenset({5}), sources=frozenset({"record0"})),
        Text("word18 liability", "record6", PUBLIC, audience="Red", sources=frozenset({"record4"})),
        *(Text(f"card{i} liability", f"record{i}", PUBLIC if i != 6 else frozenset({5}), card=True) for i in range(7)),
    ),
    concealed=frozenset({2}),
    unaccounted=frozenset({"record5"}),
    hides={"record7": frozenset({5}), "record1": frozenset({3})},
)
"""One of everything: each break in tests/oracle/breaks.py shows in it."""

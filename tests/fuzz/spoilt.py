"""Good files spoilt by chance: cut off, bits turned, pieces moved, and inside packages, with sums that are right again."""

import io
import zipfile
from collections.abc import Callable, Iterator

from tests.fuzz.recipe import Kit, Make, Recipe
from tests.fuzz.seeds import SEEDS, packed, plain_pdf

PACKAGES = ("docx", "xlsx", "pptx", "odt")
QUICK = ("pdf", "docx", "pptx", "eml")
Spoil = Callable[[bytes, Kit], bytes]


def cut_off(content: bytes, kit: Kit) -> bytes:
    return content[: kit.rng.randrange(1, len(content))]


def turned_bits(content: bytes, kit: Kit) -> bytes:
    spoilt = bytearray(content)
    for _ in range(kit.rng.choice([1, 4, 16, 64])):
        spoilt[kit.rng.randrange(len(spoilt))] ^= 1 << kit.rng.randrange(8)
    return bytes(spoilt)


def moved(content: bytes, kit: Kit) -> bytes:
    """A piece taken out and put in somewhere else, perhaps many times."""
    start = kit.rng.randrange(len(content))
    piece = content[start : start + kit.rng.randrange(1, 2000)]
    place = kit.rng.randrange(len(content))
    return content[:place] + piece * kit.rng.choice([1, 2, 50]) + content[place:]


def zeroed(content: bytes, kit: Kit) -> bytes:
    start = kit.rng.randrange(len(content))
    length = min(kit.rng.randrange(1, 400), len(content) - start)
    return content[:start] + bytes(length) + content[start + length :]


def numbers(content: bytes, kit: Kit) -> bytes:
    """Digits exchanged for those of numbers that programs stumble over."""
    places = [n for n, byte in enumerate(content) if 48 <= byte <= 57]
    if not places:
        return turned_bits(content, kit)
    spoilt = bytearray(content)
    for place in sorted(kit.rng.sample(places, min(len(places), 6)), reverse=True):
        spoilt[place : place + 1] = kit.rng.choice([b"-1", b"4294967296", b"9" * 30, b"1e999", b"0", b"2147483647"])
    return bytes(spoilt)


SPOIL: dict[str, Spoil] = {
    "cut off": cut_off, "bits": turned_bits, "moved": moved, "zeroed": zeroed, "numbers": numbers,
}  # fmt: skip


def in_a_part(content: bytes, kit: Kit, spoil: Spoil) -> bytes:
    """The package with one of its parts spoilt: its sums are right, so the part reaches the readers of XML."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    filled = [name for name, part in members.items() if part]
    chosen = kit.rng.choice(filled)
    return packed({**members, chosen: spoil(members[chosen], kit)})


def spoilt(kind: str, how: str, inside: bool) -> Make:
    def make(kit: Kit) -> bytes:
        good = (plain_pdf if kind == "pdf" and inside else SEEDS[kind])(kit)
        return in_a_part(good, kit, SPOIL[how]) if inside and kind in PACKAGES else SPOIL[how](good, kit)

    return make


def recipes(rounds: int) -> Iterator[Recipe]:
    """`rounds` of every way, of every format. The quick ones: one way for each format, another for each."""
    ways = list(SPOIL)
    for number, kind in enumerate(SEEDS):
        for how in ways:
            for inside in (False, True) if kind in (*PACKAGES, "pdf") else (False,):
                for turn in range(rounds):
                    quick = (
                        kind in QUICK and turn == 0 and inside == (kind in PACKAGES) and ways[number % len(ways)] == how
                    )
                    where = " inside" if inside else ""
                    yield Recipe(f"{turn}.{kind}", f"{kind}, {how}{where}", spoilt(kind, how, inside), quick)

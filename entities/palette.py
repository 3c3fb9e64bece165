"""The colours and icon names that labels, entity types and agents may use (static/css/clearance.css, sprite.svg)."""

COLORS = ("slate", "blue", "cyan", "teal", "green", "lime", "amber", "orange", "red", "pink", "purple", "indigo")

# The icons, as a static file of symbols.
SPRITE = "vendor/tabler-icons-3.51.0/sprite.svg"

# What people write for a colour or an icon elsewhere, in the words of this palette.
COLOR_ALIASES = {
    "gray": "slate",
    "grey": "slate",
    "azure": "blue",
    "yellow": "amber",
    "gold": "amber",
    "violet": "purple",
}
ICON_ALIASES = {
    "globe": "world",
    "shield-x": "shield-off",
    "coin": "coins",
    "money": "coins",
    "dollar": "coins",
    "person": "user",
    "file-pdf": "file-type-pdf",
    "file-docx": "file-type-docx",
    "warning": "alert-triangle",
    "edit": "pencil",
    "delete": "trash",
    "legal": "scale",
}

# Icons a steward may choose for a classification of their own; all of them are in the sprite.
LABEL_ICONS = (
    "tag", "world", "building", "lock", "user", "fingerprint", "coins", "shield-lock", "scale", "gavel", "world-off",
    "plane", "heart", "stethoscope", "certificate", "key", "bolt", "microscope", "building-bank", "eye-off", "flag",
    "users",
)  # fmt: skip


def normalise_color(color: str) -> str:
    """A name from `COLORS`, whatever was stored; "slate" for what the palette does not know."""
    name = color.strip().lower()
    name = COLOR_ALIASES.get(name, name)
    return name if name in COLORS else "slate"


def normalise_icon(icon: str) -> str:
    """The sprite's name of an icon: "Globe" is "world", "FileText" is "file-text"; empty is "tag"."""
    name = "".join(f"-{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(icon.strip()))
    name = name.replace("_", "-").replace(" ", "-").replace("--", "-")
    return ICON_ALIASES.get(name, name) or "tag"

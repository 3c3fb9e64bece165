"""Make thumbnails of uploaded product pictures."""
import hashlib
import os
from pathlib import Path

from PIL import Image, ImageOps

SIZES = {
    "list": (160, 160),
    "card": (420, 315),
    "zoom": (1600, 1600),
}
QUALITY = {"list": 72, "card": 80, "zoom": 88}

# Decompression bombs: refuse pictures with more pixels than this.
MAX_PIXELS = 48_000_000
BACKGROUND = (250, 250, 247)     # put behind transparent pictures


class PictureRefused(ValueError):
    """The upload is not a usable picture."""


def target_name(source, size_name):
    """Name of the thumbnail; contains the first 12 digits of the SHA-1."""
    digest = hashlib.sha1(Path(source).read_bytes()).hexdigest()[:12]
    return f"{digest}-{size_name}.webp"


def flatten(picture):
    """Replace transparency by the background colour."""
    if picture.mode in ("RGBA", "LA", "P"):
        picture = picture.convert("RGBA")
        ground = Image.new("RGB", picture.size, BACKGROUND)
        ground.paste(picture, mask=picture.split()[-1])
        return ground
    return picture.convert("RGB")


def open_checked(source):
    try:
        picture = Image.open(source)
    except OSError as problem:
        raise PictureRefused(str(problem)) from problem
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise PictureRefused("too many pixels")
    if min(width, height) < 80:
        raise PictureRefused("shorter side is below 80 pixels")
    # Turn according to the EXIF flag; all other metadata is lost on purpose,
    # since the pictures of private sellers often carry their coordinates.
    return ImageOps.exif_transpose(picture)


def make(source, folder):
    """Write all sizes and return {size name: path}."""
    os.makedirs(folder, exist_ok=True)
    picture = flatten(open_checked(source))
    written = {}
    for name, box in SIZES.items():
        if name == "card":
            small = ImageOps.fit(picture, box, Image.LANCZOS)      # cropped
        else:
            small = picture.copy()
            small.thumbnail(box, Image.LANCZOS)                    # never enlarged
        path = Path(folder) / target_name(source, name)
        small.save(path, "WEBP", quality=QUALITY[name], method=5)
        written[name] = path
    return written

"""Import customer lists from CSV files.

The files come out of many spreadsheet programs, so separator, encoding and
decimal sign are guessed from the beginning of the file.
"""
import csv
import io

SAMPLE_BYTES = 16384
SEPARATORS = ";,\t|"
REQUIRED = ("customer_no", "name", "postcode")
BATCH = 500

ALIASES = {
    "kundennummer": "customer_no",
    "customer number": "customer_no",
    "client": "customer_no",
    "firma": "name",
    "company": "name",
    "plz": "postcode",
    "zip": "postcode",
}


class ImportRefused(Exception):
    """The file cannot be imported at all."""


def decode(raw):
    """UTF-8 is tried first, then Windows-1252."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")


def guess_separator(text):
    """The separator that occurs most often in the first line."""
    first = text.split("\n", 1)[0]
    return max(SEPARATORS, key=first.count)


def normal_header(cell):
    key = cell.strip().lower()
    return ALIASES.get(key, key.replace(" ", "_"))


def rows(raw):
    """Yield (line number, dict) for each line that is not empty."""
    text = decode(raw)
    reader = csv.reader(io.StringIO(text), delimiter=guess_separator(text[:SAMPLE_BYTES]))
    header = [normal_header(c) for c in next(reader)]
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise ImportRefused("missing columns: " + ", ".join(missing))
    for number, cells in enumerate(reader, start=2):
        if any(c.strip() for c in cells):
            yield number, dict(zip(header, (c.strip() for c in cells)))


def run_import(raw, store, max_bad=25):
    """Write all good rows in batches; stop when too many are bad.

    A row without customer number is bad.  Rows whose customer number is
    already known overwrite the stored name and postcode, but never the
    credit limit.
    """
    bad, batch, written = [], [], 0
    for number, row in rows(raw):
        if not row["customer_no"]:
            bad.append(number)
            if len(bad) > max_bad:
                raise ImportRefused(f"more than {max_bad} bad rows")
            continue
        row.pop("credit_limit", None)
        batch.append(row)
        if len(batch) == BATCH:
            written += store.upsert(batch)
            batch = []
    if batch:
        written += store.upsert(batch)
    return written, bad

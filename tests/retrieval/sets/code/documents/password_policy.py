"""Rules for passwords and the storage of their hashes."""
import hashlib
import hmac
import os
import unicodedata

MIN_LENGTH = 11
MAX_LENGTH = 256
SALT_BYTES = 16

# scrypt parameters.  Raising N needs a new scheme number, see verify().
SCRYPT_N = 2 ** 15
SCRYPT_R = 8
SCRYPT_P = 1
SCHEME = "s2"
MAXMEM = 96 * 1024 * 1024

REMEMBERED = 5      # former passwords that may not be used again
LINK_MINUTES = 35   # life of the link in a mail for a forgotten password


class WeakPassword(ValueError):
    """The password breaks one of the rules."""


def normal(password):
    """Accents typed in different ways have to give the same hash."""
    return unicodedata.normalize("NFKC", password)


def check(password, user_name, common):
    """Raise WeakPassword when a rule is broken.

    There are no rules about digits or special characters on purpose: they
    lead to predictable passwords.  Length and a list of common passwords
    are enough.
    """
    text = normal(password)
    if len(text) < MIN_LENGTH:
        raise WeakPassword("too short")
    if len(text) > MAX_LENGTH:
        raise WeakPassword("too long")
    if text.lower() in common:
        raise WeakPassword("too common")
    if user_name and user_name.lower() in text.lower():
        raise WeakPassword("contains the user name")
    if len(set(text)) < 5:
        raise WeakPassword("fewer than five different characters")


def _scrypt(password, salt):
    return hashlib.scrypt(normal(password).encode(), salt=salt, n=SCRYPT_N,
                          r=SCRYPT_R, p=SCRYPT_P, maxmem=MAXMEM, dklen=32)


def make_hash(password):
    salt = os.urandom(SALT_BYTES)
    return f"{SCHEME}${salt.hex()}${_scrypt(password, salt).hex()}"


def verify(password, stored):
    """Return (is right, needs new hash).

    Scheme "s1" was PBKDF2 with 120000 rounds.  Such hashes are still
    accepted, and the caller has to store a new one after the sign-in.
    """
    scheme, salt_hex, digest_hex = stored.split("$")
    salt = bytes.fromhex(salt_hex)
    if scheme == "s1":
        digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 120000)
        return hmac.compare_digest(digest.hex(), digest_hex), True
    return hmac.compare_digest(_scrypt(password, salt).hex(), digest_hex), False


def was_used_before(password, former_hashes):
    """True when the password is among the last remembered ones."""
    return any(verify(password, stored)[0] for stored in former_hashes[-REMEMBERED:])

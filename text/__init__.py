"""Sentences and words of ordinary text, in English and German: what every app above counts, cuts and compares by."""

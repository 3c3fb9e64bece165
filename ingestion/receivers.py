"""Listens to what changes in records."""

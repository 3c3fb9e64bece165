"""Words of a language, as code lists them."""


def words(listing: str) -> frozenset[str]:
    """The white-space-separated words of `listing`."""
    return frozenset(listing.split())

"""The limit of a test's time also holds where it has subtests.

A subtest swallows what is raised in it, the failure by which pytest-timeout ends a test among them; and pytest-timeout
sets no limit again after any failure. Without this a hang after a failed subtest would have no end.
"""

from collections.abc import Iterator

import pytest
import pytest_timeout  # type: ignore[import-untyped]


@pytest.hookimpl(wrapper=True)
def pytest_exception_interact(
    node: pytest.Item, call: pytest.CallInfo[object], report: pytest.TestReport
) -> Iterator[None]:
    """A test that hangs in a subtest is ended; after another failure its next subtests have the whole limit again."""
    yield
    if not isinstance(report, pytest.SubtestReport) or call.excinfo is None:
        return
    if str(call.excinfo.value).startswith("Timeout ("):
        raise call.excinfo.value
    limit = pytest_timeout._get_item_settings(node)
    if limit.timeout:
        node.ihook.pytest_timeout_set_timer(item=node, settings=limit)

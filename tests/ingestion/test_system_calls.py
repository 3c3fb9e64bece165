"""The filter of system calls, as the kernel would run it on each machine that it is for."""

import errno

import pytest

from ingestion.sandbox import calls, seccomp
from tests.ingestion.hostile_acts import NUMBERS

ME = 4_321
ALLOW, EPERM, ENOSYS = seccomp.ALLOW, seccomp.ERRNO | errno.EPERM, seccomp.ERRNO | errno.ENOSYS
PARTLY = {
    "clone": ([calls.THREAD], [17]),
    "tgkill": ([ME], [ME + 1]),
    "prlimit64": ([0, 4, 0], [ME + 1, 4, 0]),
    "fcntl": ([3, 1], [3, 8]),
    "ioctl": ([3, calls.TCGETS], [0, 0x5412]),
    "prctl": ([calls.PR_SET_NAME], [22]),
    "openat": ([0, 0, 0o2000000], [0, 0, 0o1]),
}


@pytest.fixture(params=calls.MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def run_filter(machine: str, number: int, arguments: list[int] = [], audited: int | None = None) -> int:  # noqa: B006
    """What the filter says of a call: an interpreter of the few instructions that it has."""
    data = {seccomp.NUMBER_OFFSET: number, seccomp.ARCH_OFFSET: audited or calls.MACHINES[machine][0]}
    for place in range(6):
        value = arguments[place] if place < len(arguments) else 0
        data[seccomp.ARGUMENTS_OFFSET + 8 * place] = value & 0xFFFFFFFF
        data[seccomp.ARGUMENTS_OFFSET + 8 * place + 4] = value >> 32 & 0xFFFFFFFF
    program, place, loaded = seccomp.build_program(machine, ME), 0, 0
    while True:
        code, if_true, if_false, constant = program[place]
        place += 1
        if code == seccomp.RETURN:
            return constant
        if code == seccomp.LOAD:
            loaded = data[constant]
        elif code == seccomp.AND:
            loaded &= constant
        else:
            held = loaded == constant if code == seccomp.EQUAL else loaded >= constant
            place += if_true if held else if_false


def test_every_call_of_the_list_is_allowed_and_no_other(machine: str) -> None:
    column = calls.MACHINES[machine][1]
    listed = {numbers[column]: name for name, numbers in calls.ALLOWED.items()}
    checked = calls.list_checks(ME)
    for number in range(600):
        verdict = run_filter(machine, number)
        if listed.get(number) is None:
            assert verdict == (ENOSYS if number >= calls.SHARED_NUMBERS else EPERM), number
        elif listed[number] not in checked:
            assert verdict == ALLOW, listed[number]


@pytest.mark.parametrize("name", PARTLY)
def test_a_call_is_allowed_with_some_arguments_and_refused_with_others(machine: str, name: str) -> None:
    number = calls.ALLOWED[name][calls.MACHINES[machine][1]]
    right, wrong = PARTLY[name]
    assert run_filter(machine, number, right) == ALLOW
    assert run_filter(machine, number, wrong) == EPERM


def test_a_new_limit_is_seen_in_either_half_of_its_address(machine: str) -> None:
    number = calls.ALLOWED["prlimit64"][calls.MACHINES[machine][1]]
    assert run_filter(machine, number, [0, 4, 1]) == EPERM
    assert run_filter(machine, number, [0, 4, 1 << 32]) == EPERM


def test_calls_of_another_machine_are_refused(machine: str) -> None:
    """The kernel takes those of 32 bits, and of x32, which number them otherwise."""
    assert run_filter(machine, calls.ALLOWED["read"][calls.MACHINES[machine][1]], audited=0x40000003) == EPERM
    assert run_filter(machine, seccomp.X32_BIT) == EPERM


def test_no_call_that_reaches_outside_is_in_the_list() -> None:
    assert set(NUMBERS) & set(calls.ALLOWED) == set(calls.list_checks(ME)) & set(NUMBERS)

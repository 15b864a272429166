"""`manage.py score_hands` and `judge_hands`, as the processes that a referee starts (docs/referee.md)."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from games.lines import LONGEST_LINE, LONGEST_MESSAGE
from games.management.commands.score_hands import Command
from tests.games.rules.cases import cases, comparable

ROOT = Path(__file__).resolve().parent.parent.parent
#: Nothing listens there: a command that opened the database would fail.
NO_DATABASE = {**os.environ, "DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/nowhere", "REDIS_URL": ""}
WIN = {"ruleset": "chengdu", "concealed": "1199p222888s", "melds": [{"kind": "pung", "tile": "5p"}], "win_tile": "1p"}
LINE = json.dumps(WIN).encode() + b"\n"
LIMIT = 60.0  # seconds


def start(command: str, *arguments: str) -> "subprocess.Popen[bytes]":
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell, and so would the command
        signal.signal(signal.SIGINT, signal.default_int_handler)
    pipe = subprocess.PIPE
    call = [sys.executable, "manage.py", command, *arguments]
    return subprocess.Popen(call, cwd=ROOT, env=NO_DATABASE, stdin=pipe, stdout=pipe, stderr=pipe, process_group=0)


def outcome(command: str, data: bytes, *arguments: str) -> tuple[int, list[Any], str]:
    """The exit status of a command, its lines and what it said on standard error."""
    with start(command, *arguments) as process:
        out, err = process.communicate(data, timeout=LIMIT)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err.decode()


def as_lines(values: Iterable[object]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["hands", "waits", "records", "illegal"])
def test_the_conformance_files_through_the_commands(name: str, jobs: int) -> None:
    for command, wanted in (("score_hands", True), ("judge_hands", False)):
        chosen = [case for case in cases(name) if ("concealed" in case["in"]) is wanted]
        if not chosen:
            continue
        status, answers, err = outcome(command, as_lines(case["in"] for case in chosen), f"--jobs={jobs}")
        assert [comparable(answer) for answer in answers] == [comparable(case["out"]) for case in chosen]
        assert (status, err) == (int(any("error" in case["out"] for case in chosen)), "")


HOSTILE = {
    "no JSON": b"{",
    "two values": b"{} {}",
    "not a number": b'{"ruleset": NaN}',
    "infinity": b'{"ruleset": -Infinity}',
    "a key twice": b'{"ruleset": "chengdu", "ruleset": "chengdu"}',
    "a key twice, deeper": LINE.strip()[:-1] + b', "times": [{"a": 1, "a": 1}]}',
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep but closed": LINE.strip()[:-1] + b', "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a long number": b"9" * 5000,
    "a long number inside": LINE.strip()[:-1] + b', "void": ' + b"9" * 5000 + b"}",
    "no UTF-8": LINE.strip()[:-1] + b', "id": "\xff"}',
    "a surrogate in UTF-8": LINE.strip()[:-1] + b', "id": "\xed\xa0\x80"}',
    "a lone surrogate": LINE.strip()[:-1] + b', "id": "\\ud800"}',
    "a lone surrogate as a key": LINE.strip()[:-1] + b', "\\uDC00": 1}',
    "a control character": LINE.strip()[:-1] + b', "id": "\x00"}',
    "nul": b"\x00",
    "huge": LINE.strip()[:-1] + b', "id": "' + b"x" * LONGEST_LINE + b'"}',
    "huge in the middle of a chunk": b'"' + b"x" * (3 * LONGEST_LINE) + b'"',
    "a list": b"[]",
    "null": b"null",
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("command", ["score_hands", "judge_hands"])
def test_a_hostile_line_is_an_error_line(command: str, jobs: int) -> None:
    status, answers, err = outcome(command, b"\n".join(HOSTILE.values()), f"--jobs={jobs}")
    assert len(answers) == len(HOSTILE)
    for what, answer in zip(HOSTILE, answers, strict=True):
        error = answer["error"]
        assert (error["code"], error["at"]) == ("bad_format", None), what
        assert 0 < len(error["message"]) <= LONGEST_MESSAGE, what
    assert (status, err) == (1, "")


def test_a_good_line_may_hold_any_text_and_is_answered_beside_bad_ones() -> None:
    face = LINE.strip()[:-1] + b', "id": "\\ud83c\\udc04 \\\\ud800 \xf0\x9f\x80\x84"}\r\n'
    longest = LINE.strip()[:-1] + b', "id": "'
    longest += b"x" * (LONGEST_LINE - len(longest) - 2) + b'"}\n'
    status, answers, _ = outcome("score_hands", face + b"nonsense\n" + longest + LINE.strip())
    assert ["win" in answer for answer in answers] == [True, False, True, True]
    assert status == 1


def test_a_number_too_long_to_write_is_an_error_line() -> None:
    record = next(case["in"] for case in cases("records") if any(case["out"]["units"]))
    status, answers, err = outcome(
        "judge_hands", as_lines([{**record, "balances": [10**4299 * 9] * 4, "coefficient": 10**4299}])
    )
    assert answers[0]["error"]["code"] == "bad_format"
    assert (status, err) == (1, "")


def test_blank_lines_are_skipped_and_no_lines_are_no_error() -> None:
    assert (
        outcome("score_hands", b"\n \t\r\n" + LINE + b"\n\n" + LINE.strip() + b"\n  ")[1]
        == [outcome("score_hands", LINE)[1][0]] * 2
    )
    assert outcome("judge_hands", b"") == outcome("judge_hands", b"\n\n", "--jobs", "2") == (0, [], "")


@pytest.mark.parametrize(
    "arguments",
    [["--jobs=0"], ["--jobs=-1"], ["--jobs=two"], ["--jobs=1.5"], ["--jobs=²"], ["--jobs=9999"], ["file"], ["--what"]],
)
def test_unusable_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    parser = Command().create_parser("manage.py", "score_hands")
    parser.called_from_command_line = True
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(arguments)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_unusable_arguments_are_said_before_anything_is_read() -> None:
    status, answers, err = outcome("score_hands", LINE, "--jobs=0")
    assert (status, answers) == (2, [])
    assert "error:" in err and "Traceback" not in err


def test_jobs_without_a_number_takes_every_core() -> None:
    assert outcome("score_hands", LINE * 5, "--jobs") == outcome("score_hands", LINE * 5)


def test_several_jobs_keep_the_order() -> None:
    """Cheap lines behind dear ones: the answers still stand in the order of the lines."""
    dear = [case["in"] for case in cases("records")][:150]
    tagged = [[{**record, "dealer": f"no seat {number}"}] * 40 for number, record in enumerate(dear)]
    mixed = [line for record, cheap in zip(dear, tagged, strict=True) for line in (record, *cheap)]
    alone = outcome("judge_hands", as_lines(mixed))
    assert len(alone[1]) == len(mixed)
    assert (
        outcome("judge_hands", as_lines(mixed), "--jobs=2")
        == alone
        == outcome("judge_hands", as_lines(mixed), "--jobs=3")
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_slow_writer_is_answered_at_once(jobs: int) -> None:
    with start("score_hands", f"--jobs={jobs}") as process:
        assert process.stdin and process.stdout
        for _ in range(3):
            process.stdin.write(LINE)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["win"] is True
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(LIMIT) == 0


# Memory, and ends before the end

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")


def family(pid: int) -> list[int]:
    """A process and its children."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def resident(pid: int) -> int:
    """Bytes of memory of a process and its children."""
    pages = sum(int(Path(f"/proc/{member}/statm").read_text().split()[1]) for member in family(pid))
    return pages * os.sysconf("SC_PAGE_SIZE")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def write_all(process: "subprocess.Popen[bytes]", lines: Iterable[bytes]) -> threading.Thread:
    """Write to a process until it has everything or reads no more."""

    def write() -> None:
        assert process.stdin
        with suppress(BrokenPipeError):
            for line in lines:
                process.stdin.write(line)
        with suppress(BrokenPipeError):
            process.stdin.close()

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_memory_does_not_grow_with_the_input(jobs: int) -> None:
    hands = [as_lines([case["in"]]) for case in cases("hands")]

    def endless() -> Iterator[bytes]:
        for number in range(50_000):
            yield hands[number % len(hands)]

    with start("score_hands", f"--jobs={jobs}") as process:
        writer = write_all(process, endless())
        assert process.stdout
        measured = []
        for number in range(50_000):
            assert process.stdout.readline().startswith(b'{"win"')
            if number in (15_000, 45_000):  # the tables and caches are full by then
                measured.append(resident(process.pid))
        writer.join()
        assert process.stdout.read() == b""
        assert process.wait(LIMIT) == 0
    print(f"{jobs} jobs: {measured[0] >> 20} MiB, grown by {(measured[1] - measured[0]) >> 10} KiB")
    assert measured[1] - measured[0] < 4 << 20


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_line_without_an_end_takes_no_memory(jobs: int) -> None:
    with start("score_hands", f"--jobs={jobs}") as process:
        assert process.stdin and process.stdout
        process.stdin.write(LINE)
        process.stdin.flush()
        process.stdout.readline()
        before = resident(process.pid)
        for _ in range(100):
            process.stdin.write(b"x" * (1 << 20))
        process.stdin.flush()
        assert resident(process.pid) - before < 16 << 20
        process.stdin.close()
        assert b"bad_format" in process.stdout.read()
        assert process.wait(LIMIT) == 1


def forever() -> Iterator[bytes]:
    while True:
        yield LINE


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reader_that_has_enough_ends_it_quietly(jobs: int) -> None:
    with start("score_hands", f"--jobs={jobs}") as process:
        writer = write_all(process, forever())
        assert process.stdout and process.stderr
        process.stdout.readline()
        members = family(process.pid)
        process.stdout.close()
        assert process.wait(LIMIT) == 0
        assert process.stderr.read() == b""
        writer.join()
    assert len(members) == (1 if jobs == 1 else 1 + jobs)
    assert not any(map(is_alive, members))


@needs_proc
@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_command_leaves_nothing_behind(number: signal.Signals, jobs: int, busy: bool) -> None:
    """Ctrl-C goes to the whole process group, as a terminal sends it."""
    with start("score_hands", f"--jobs={jobs}") as process:
        assert process.stdin and process.stdout and process.stderr
        writer = write_all(process, forever()) if busy else None
        if not busy:
            process.stdin.write(LINE)
            process.stdin.flush()
        process.stdout.readline()
        members = family(process.pid)
        os.killpg(process.pid, number)
        assert process.wait(LIMIT) == (130 if number == signal.SIGINT else -number)
        deadline = time.monotonic() + 10
        while any(map(is_alive, members)) and number != signal.SIGINT and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not any(map(is_alive, members))
        process.stdout.read()
        assert process.stderr.read() == b""
        if writer:
            writer.join()


@needs_proc
def test_a_lost_worker_is_said_and_not_waited_for() -> None:
    with start("score_hands", "--jobs=2") as process:
        writer = write_all(process, forever())
        assert process.stdout and process.stderr
        process.stdout.readline()
        members = family(process.pid)
        os.kill(members[1], signal.SIGKILL)
        process.stdout.read()
        assert process.wait(LIMIT) == 3
        assert process.stderr.read().startswith(b"gave up: worker 1 of 2 ended")
        writer.join()
    assert not any(map(is_alive, members))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "0>/dev/null", pytest.param(">/dev/full", marks=needs_proc)])
def test_input_and_output_that_cannot_be_used(closed: str) -> None:
    for jobs in (1, 2):
        call = f'exec "{sys.executable}" manage.py score_hands --jobs={jobs} {closed}'
        done = subprocess.run(
            ["/bin/sh", "-c", call], cwd=ROOT, env=NO_DATABASE, input=LINE, capture_output=True, check=False
        )
        assert done.returncode == 3
        assert done.stderr.startswith(b"gave up: ") and b"Traceback" not in done.stderr

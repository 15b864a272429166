"""JSON lines in, JSON lines out: what `manage.py score_hands` and `judge_hands` share (docs/referee.md, RECORD.md).

A line in is a line out, in order; blank lines are skipped. What cannot be judged, hostile input included, becomes an error
line. Input is read as it comes and what has come is answered before more is awaited, so neither a long file nor a slow writer
needs memory or waits for a buffer.

With several jobs each worker is this module as a process of its own, without Django, doing the same from pipe to pipe. Batches
of lines go to the workers in turn and the answers are taken in the same turn: that keeps the order, and full pipes hold back
whoever is ahead. A worker ends when its input does, so none outlives the command, however that ends.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from games.rules.errors import ErrorCode, Refusal
from games.rules.record import judge, score_line

#: Longer lines are errors. A record with everything that may stand beside it takes a few thousand bytes.
LONGEST_LINE: Final = 1 << 20
LONGEST_MESSAGE: Final = 600  # room for the names of all options
MOST_JOBS: Final = 256

#: Exit statuses; 2, for unusable arguments, is argparse's.
FINE, SOME_ERRORS, GAVE_UP, INTERRUPTED = 0, 1, 3, 130

ANSWERS: Final[dict[str, Callable[[object], dict[str, Any]]]] = {"score": score_line, "judge": judge}

_ROOT: Final = Path(__file__).resolve().parent.parent
_STDIN: Final = 0
_STDOUT: Final = 1
_CHUNK: Final = 1 << 15
_ERROR: Final = b'{"error"'  # no other answer begins like this


class WorkerLost(Exception):
    """A worker ended before its input did."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=_jobs,
        nargs="?",
        default=1,
        const=_cores(),
        metavar="N",
        help="spread the lines over N processes; --jobs alone takes every core. Without it: one",
    )


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_JOBS}")
    return int(text)


def _cores() -> int:
    """The cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, MOST_JOBS)


def run(name: str, jobs: int) -> int:
    """Answer standard input on standard output; the exit status."""
    errors = False
    try:
        os.fstat(_STDIN), os.fstat(_STDOUT)  # closed ones would become a worker's pipes
        with closing(_spread(name, jobs) if jobs > 1 else _answered(name)) as answered:
            for lines in answered:
                errors = errors or any(line.startswith(_ERROR) for line in lines)
                _write(_STDOUT, b"".join(lines))
    except BrokenPipeError:
        pass  # whoever reads has read enough
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, WorkerLost) as problem:
        print(f"gave up: {problem}", file=sys.stderr)
        return GAVE_UP
    return SOME_ERRORS if errors else FINE


# One process


def _answered(name: str) -> Generator[list[bytes], None, None]:
    answer = ANSWERS[name]
    for batch in _batches():
        yield [answer_line(answer, line) for line in batch]


def _batches() -> Iterator[list[bytes]]:
    """The lines of standard input that are not blank, without their ends, as many at a time as are there."""
    rest = b""
    while chunk := os.read(_STDIN, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: LONGEST_LINE + 1]  # enough to see that it is too long
        if batch := [line for line in lines if not _is_blank(line)]:
            yield batch
    if not _is_blank(rest):
        yield [rest]


def _is_blank(line: bytes) -> bool:
    return not line.strip(b" \t\r")


def _write(sink: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(sink, left) :]


# One line


def answer_line(answer: Callable[[object], dict[str, Any]], line: bytes) -> bytes:
    """What a line comes to, as a line. Never raises for what stands in it."""
    try:
        outcome = answer(_read(line))
        if "error" in outcome:
            outcome["error"]["message"] = outcome["error"]["message"][:LONGEST_MESSAGE]
        text = json.dumps(outcome)
    except RecursionError:
        text = _refusal("nested too deeply")
    except ValueError as error:  # no JSON, or a number too long to be read or written
        text = _refusal(str(error))
    return text.encode() + b"\n"


def _refusal(message: str) -> str:
    return json.dumps(Refusal(ErrorCode.BAD_FORMAT, message[:LONGEST_MESSAGE]).as_json())


def _read(line: bytes) -> object:
    """The value of a line that is JSON as RFC 8259 has it, every key once and all text Unicode; ValueError otherwise."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line longer than {LONGEST_LINE} bytes")
    text = line.decode()
    value = _DECODER.decode(text)
    if "\\u" in text:  # the only way that half a character can come in
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


# Several processes


def _spread(name: str, jobs: int) -> Generator[list[bytes], None, None]:
    """As `_answered`, by worker processes."""
    workers: list[subprocess.Popen[bytes]] = []
    try:
        workers.extend(_worker(name) for _ in range(jobs))
        turns: SimpleQueue[tuple[int, int] | OSError | None] = SimpleQueue()
        # A daemon: it may be waiting for input when the command has to end.
        threading.Thread(target=_feed, args=(workers, turns), daemon=True).start()
        answers = [io.BufferedReader(_raw(worker.stdout)) for worker in workers]
        while (turn := turns.get()) is not None:
            if isinstance(turn, OSError):
                raise turn
            number, count = turn
            lines = [answers[number].readline() for _ in range(count)]
            if not lines[-1].endswith(b"\n"):
                raise WorkerLost(f"worker {number + 1} of {jobs} ended before its lines did")
            yield lines
    finally:
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.wait()


def _worker(name: str) -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "games.lines", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env={**os.environ, "PYTHONPATH": path},
        process_group=0,  # Ctrl-C is for the command alone
    )


def _feed(workers: "list[subprocess.Popen[bytes]]", turns: "SimpleQueue[Any]") -> None:
    """Hand the batches to the workers in turn, and say whose turn it was and how many answers will come."""
    try:
        for number, batch in enumerate(_batches()):
            turns.put((number % len(workers), len(batch)))
            try:
                _write(_raw(workers[number % len(workers)].stdin).fileno(), b"\n".join(batch) + b"\n")
            except BrokenPipeError:
                return  # the reader of the answers finds the worker lost
    except OSError as problem:
        turns.put(problem)
    else:
        turns.put(None)


def _raw(stream: Any) -> io.FileIO:
    assert isinstance(stream, io.FileIO)
    return stream


def _work(name: str) -> None:
    try:
        for lines in _answered(name):
            _write(_STDOUT, b"".join(lines))
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    _work(sys.argv[1])

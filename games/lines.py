"""JSON lines in, JSON lines out: what `manage.py score_hands` and `judge_hands` share (docs/referee.md, RECORD.md).

A line in is a line out, in order; blank lines are skipped. What cannot be judged, hostile input included, becomes an error
line. Input is read as it comes and what has come is answered before more is awaited, so neither a long file nor a slow writer
needs memory or waits for a buffer.

With several jobs the workers are forks of the command, so that the tables are built once. Blocks of lines go to them in turn and
the answers are taken in the same turn: that keeps the order, and full pipes hold back whoever is ahead. The command itself looks
at no line. A worker ends when its pipe does, so none outlives the command, however that ends.
"""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from itertools import cycle
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
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

_FORKS: Final = get_context("fork")
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
            for answers in answered:
                errors = errors or answers.startswith(_ERROR) or b"\n" + _ERROR in answers
                _write(_STDOUT, answers)
    except BrokenPipeError:
        pass  # whoever reads has read enough
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, WorkerLost) as problem:
        print(f"gave up: {problem}", file=sys.stderr)
        return GAVE_UP
    return SOME_ERRORS if errors else FINE


# One process


def _answered(name: str) -> Generator[bytes, None, None]:
    """The answers to standard input, a line for each, in blocks of whole lines."""
    for block in _blocks():
        yield _answers(name, block)


def _blocks() -> Iterator[bytes]:
    """Standard input in blocks of whole lines, as much at a time as is there; the last line may lack its end."""
    rest = b""
    while chunk := os.read(_STDIN, _CHUNK):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        elif len(rest) <= LONGEST_LINE:  # else it is too long already, whatever follows
            rest += chunk
    if rest:
        yield rest


def _answers(name: str, block: bytes) -> bytes:
    answer = ANSWERS[name]
    return b"".join(answer_line(answer, line) for line in block.split(b"\n") if line.strip(b" \t\r"))


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


def _spread(name: str, jobs: int) -> Generator[bytes, None, None]:
    """As `_answered`, by worker processes."""
    workers: list[BaseProcess] = []
    pipes: list[Connection] = []
    try:
        for _ in range(jobs):
            pipe, theirs = Pipe()
            pipes.append(pipe)
            workers.append(_FORKS.Process(target=_work, args=(name, theirs, pipes), daemon=True))
            workers[-1].start()
            theirs.close()
        turns: SimpleQueue[int | OSError | None] = SimpleQueue()
        # A daemon: it may be waiting for input when the command has to end.
        threading.Thread(target=_feed, args=(pipes, turns), daemon=True).start()
        while (turn := turns.get()) is not None:
            if isinstance(turn, OSError):
                raise turn
            try:
                answers = pipes[turn].recv_bytes()
            except (EOFError, OSError) as lost:
                raise WorkerLost(f"worker {turn + 1} of {jobs} ended before its lines did") from lost
            yield answers
    finally:
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()


def _feed(pipes: Sequence[Connection], turns: "SimpleQueue[int | OSError | None]") -> None:
    """Hand the blocks to the workers in turn, and say whose turn it was."""
    try:
        for turn, block in zip(cycle(range(len(pipes))), _blocks(), strict=False):
            turns.put(turn)
            try:
                pipes[turn].send_bytes(block)
            except OSError:
                return  # the reader of the answers finds the worker lost
    except OSError as problem:
        turns.put(problem)
    else:
        turns.put(None)


def _work(name: str, pipe: Connection, of_the_command: Sequence[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command alone
    for inherited in of_the_command:  # else no pipe would end with the command
        inherited.close()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_answers(name, pipe.recv_bytes()))

"""Runs cases on a runtime in another process. If that process crashes or hangs, a new one replaces it."""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

VERDICTS = (
    "right", "not supported", "refused though legal", "wrong value", "accepted though illegal", "wrote before refusing",
    "crashed", "timed out",
)
START_SECONDS = 180


class Worker:
    """The process that runs cases. `ask` starts it if it is not running."""

    def __init__(self, *arguments):
        self.arguments = [str(argument) for argument in arguments]
        self.process, self.versions, self.rest = None, {}, b""

    def start(self):
        """Starts the process and waits until the runtime is loaded."""
        package = pathlib.Path(__file__).parent
        path = os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": self.arguments[2]}
        command = [sys.executable, "-P", "-m", f"{package.name}.worker", *self.arguments]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, **pipes, env=environment, start_new_session=True)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.rest = b""
        answer = self._read(START_SECONDS)
        if "versions" not in answer:
            raise RuntimeError(f"the runtime {self.arguments[1]} did not start: {answer['detail']}")
        self.versions = answer["versions"]

    def ask(self, path, seconds):
        """Return the outcome of one case."""
        if self.process is None:
            self.start()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{path}\n".encode())
            self.process.stdin.flush()
        return self._read(seconds)

    def stop(self):
        """Ends the process and its children, which may hold its pipes open."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
            self.process = None

    def _read(self, seconds):
        out, until = self.process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self.rest:
            ready = select.select([out], [], [], 0.2)[0]
            self._drain()
            block = os.read(out, 1 << 16) if ready else None
            if block:
                self.rest += block
            elif block == b"" or self.process.poll() is not None:
                return self._ended()
            elif time.monotonic() > until:
                self.stop()
                return {"verdict": "timed out", "detail": f"no answer within {seconds} s", "seconds": seconds}
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)

    def _drain(self):
        with contextlib.suppress(BlockingIOError):
            while said := os.read(self.process.stderr.fileno(), 1 << 16):
                self.last_words = said

    last_words = b""

    def _ended(self):
        code = self.process.wait()
        self._drain()
        self.stop()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        words = " ".join(self.last_words.decode(errors="replace").split())[-300:]
        return {"verdict": "crashed", "detail": f"{how} {words}".strip()}


def ask(worker, path, seconds):
    """Return the outcome of one case, unaffected by earlier cases.

    A case that crashes or times out runs again in a new process: an earlier case may have damaged the first process.
    So does a case in which the suite or the adapter fails; a second failure raises RuntimeError.
    """
    answer = worker.ask(path, seconds)
    if answer["verdict"] in ("crashed", "timed out", "failed"):
        worker.stop()
        answer = worker.ask(path, seconds)
    if answer["verdict"] == "failed":
        worker.stop()
        raise RuntimeError(f"{worker.arguments[1]}, {path}: the adapter or the suite failed: {answer['detail']}")
    if answer["verdict"] in ("accepted though illegal", "wrote before refusing"):
        worker.stop()
    return answer


def run(cases, name, threads=1, repeat=2, seconds=10.0, paths=None, settings=(), progress=None):
    """Runs cases from a folder on the runtime called `name`, and returns versions and the outcome for each path."""
    cases = pathlib.Path(cases).resolve()
    every = json.loads((cases / "cases.json").read_text(encoding="utf-8"))
    worker = Worker(cases, name, threads, repeat, *settings)
    worker.start()
    results = {}
    for number, path in enumerate(paths if paths is not None else every):
        results[path] = ask(worker, path, seconds)
        if progress and number % 500 == 499:
            progress(number + 1)
    worker.stop()
    return {"runtime": name, "versions": worker.versions, "threads": threads, "repeat": repeat, "results": results}

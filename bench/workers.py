"""Processes that answer requests, so that thread pools of libraries do not disturb each other."""

import json
import os
import subprocess
import sys

SERVE = "serve"  # first argument of a program whose process is a worker


class Worker:
    """A Python process that answers each request, a verb and arguments, with a value."""

    def __init__(self, *arguments, environment=None):
        command = [sys.executable, *map(str, arguments)]
        environment = os.environ | (environment or {})
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended; its message is above")
        return json.loads(line)

    def say(self, *request):
        self.process.stdin.write(json.dumps(request, default=str) + "\n")
        self.process.stdin.flush()

    def ask(self, *request):
        self.say(*request)
        return self.answer()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ask_all(workers, *request):
    """Send a request to all workers at once. Return name -> answer."""
    for worker in workers.values():
        worker.say(*request)
    return {name: worker.answer() for name, worker in workers.items()}


def serve(make, *arguments):
    """Answers each request with a method of make(*arguments). Libraries that print use standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answerer = make(*arguments)
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        print(json.dumps(getattr(answerer, verb)(*arguments)), file=answers, flush=True)

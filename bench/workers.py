"""A program in a process of its own that answers each line on its standard input with a line of JSON."""

import json
import subprocess


class Worker:
    """The process of a command that exits at the end of its input."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self):
        """Return the next answer, or None if the process has ended."""
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        answer = self.read()
        if answer is None:
            raise RuntimeError(f"{self.process.args} ended before it answered {question!r}")
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()

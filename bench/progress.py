"""A bar on a terminal; nothing elsewhere."""

import sys

WIDTH = 30


class Progress:
    def __init__(self, title, total):
        self.title, self.total, self.done = title, total, 0
        self.shown = sys.stderr.isatty()

    def step(self):
        self.done += 1
        if self.shown:
            part = min(WIDTH, WIDTH * self.done // max(1, self.total))
            bar = "#" * part + "." * (WIDTH - part)
            print(f"\r\033[K{self.title} [{bar}] {self.done}/{self.total}", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

"""Runtimes that are each wrong in one way, which the name of the class states."""

import os
import time

from gather_scatter_conformance.adapters import Reference


class Right(Reference):
    """The reference evaluator. The tests use cases for which its results are right."""


class Changed(Reference):
    def change(self, outputs):
        return outputs

    def load(self, path, threads):
        run = super().load(path, threads)
        return lambda feeds, memory: self.change(run(feeds, memory))


class Wrong(Changed):
    def change(self, outputs):
        return [outputs[0] * 0]


class Raced(Changed):
    calls = 0

    def change(self, outputs):
        Raced.calls += 1
        return [outputs[0] * 0] if Raced.calls == 3 else outputs


class NoList(Changed):
    def change(self, outputs):
        return outputs[0]


class NotDerived:
    def load(self, path, threads):
        return lambda feeds, memory: []


class OtherType(Changed):
    def change(self, outputs):
        return [outputs[0].astype("float64")]


class Crashes(Changed):
    def change(self, outputs):
        os.kill(os.getpid(), 11)


class Hangs(Changed):
    def change(self, outputs):
        time.sleep(60)


class Refuses(Reference):
    def load(self, path, threads):
        raise ValueError("no")


class Unsupported(Reference):
    def load(self, path, threads):
        raise NotImplementedError("no")


class Accepts(Reference):
    def load(self, path, threads):
        return lambda feeds, memory: [next(iter(feeds.values()))]


class WritesFirst(Reference):
    def load(self, path, threads):
        def run(feeds, memory):
            memory["output"].fill(1)
            raise ValueError("late")

        return run


class ChangesInput(Reference):
    def load(self, path, threads):
        run = super().load(path, threads)

        def spoil(feeds, memory):
            outputs = run(feeds, memory)
            feeds["data"][...] = 7
            return outputs

        return spoil

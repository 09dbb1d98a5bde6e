"""Runs each library in its own process, so that thread pools do not disturb each other. The processes take turns."""

import multiprocessing
import time

import libraries
import numpy as np

# A library with more than SLOW seconds, and TIMES_SLOWER times the fastest library's seconds, has only two rounds.
SLOW, TIMES_SLOWER = 0.25, 6


def agrees(expected, result, adds, tolerance):
    """Return whether results are equal: bit for bit, or within the tolerance if they are sums."""
    if expected.shape != result.shape:
        return False
    if adds:
        return bool(np.allclose(expected, result, rtol=tolerance))
    return bool((expected == result).all())


def serve(pipe, library, threads):
    """Answers ("inputs", (workload, paths)), ("load", mode), ("check", path) and ("time", whether to call once before)."""
    workload, inputs, run = None, None, None
    while True:
        verb, argument = pipe.recv()
        answer = True
        if verb == "inputs":
            workload, paths = argument
            inputs = [np.load(path) for path in paths]
        elif verb == "load":
            run = None
            run = libraries.make_call(library, workload.op, workload.attributes, inputs, threads, argument)
            answer = run is not None
        elif verb == "check":
            owner = run()
            result = libraries.array_of(owner, inputs[0].dtype)
            adds = workload.attributes.get("reduction") == "add"
            tolerance = 0 if library == "strew" else 1e-3 if workload.repeats == 1 else 1e-5
            answer = agrees(np.load(argument, mmap_mode="r"), result, adds, tolerance)
        elif verb == "time":
            if argument:
                run()
            begin = time.perf_counter()
            for _ in range(workload.repeats):
                run()
            answer = (time.perf_counter() - begin) / workload.repeats
        else:
            return
        pipe.send(answer)


class Server:
    def __init__(self, library, threads):
        self.library, self.threads = library, threads
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, library, threads), daemon=True)
        self.process.start()
        theirs.close()

    def say(self, verb, argument=None):
        self.pipe.send((verb, argument))

    def ask(self, verb, argument=None):
        self.say(verb, argument)
        return self.pipe.recv()

    def end(self):
        self.say("end")
        self.process.join()


def ask_all(servers, verb, argument=None):
    """Send a request to all servers at once. Return library -> answer."""
    for server in servers:
        server.say(verb, argument)
    return {server.library: server.pipe.recv() for server in servers}


def take_turns(servers, rounds):
    """Return library -> seconds of each round, after one round that is not measured."""
    seconds = {server.library: [] for server in servers}
    for number in range(rounds + 1):
        for server in servers:
            mine = seconds[server.library]
            fastest = min((times[-1] for times in seconds.values() if times), default=0)
            if number > 2 and mine[-1] > SLOW and mine[-1] > TIMES_SLOWER * fastest:
                continue
            spent = server.ask("time", not mine or mine[-1] < SLOW)  # the first call wakes the threads
            if server.threads > 1:
                time.sleep(libraries.PAUSES.get(server.library, 0))
            if number > 0:
                mine.append(spent)
    return seconds

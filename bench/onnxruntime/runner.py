"""A session in a process of its own, so that thread pools do not disturb each other."""

import multiprocessing
import time

import models
import numpy as np


def session_of(case, provider, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    model = case.model().SerializeToString()
    if provider == "cpu":
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    import onnxruntime_ep_strew

    return onnxruntime_ep_strew.session(model, options)


def bound(case, session, feeds):
    """Return the session's binding, with each output in the memory that the case requires."""
    import onnxruntime

    binding = session.io_binding()
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array.copy()) for name, array in feeds.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    kept = {}
    if case.kept_outputs:
        results = allocating(session, values)
        session.run_with_iobinding(results)
        kept = dict(zip((o.name for o in session.get_outputs()), results.get_outputs()))
    for output in session.get_outputs():
        name = output.name
        if name in case.in_place:
            binding.bind_ortvalue_output(name, values[case.in_place[name]])
        elif name in kept:
            binding.bind_ortvalue_output(name, kept[name])
        else:
            binding.bind_output(name)
    return binding


def allocating(session, values):
    binding = session.io_binding()
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    for output in session.get_outputs():
        binding.bind_output(output.name)
    return binding


def where_nodes_run(session, provider):
    """Return operator -> number of nodes that Strew runs, and the reasons for all other nodes."""
    if provider == "cpu":
        return {}, {}
    import onnxruntime_ep_strew

    taken, left = {}, {}
    for place in onnxruntime_ep_strew.placement(session):
        if place.provider == onnxruntime_ep_strew.get_ep_name():
            taken[place.operator] = taken.get(place.operator, 0) + 1
        elif place.reason:
            left[f"{place.operator}: {place.reason}"] = left.get(f"{place.operator}: {place.reason}", 0) + 1
    return taken, left


def serve(pipe, name, provider, threads):
    """Answers ("save", path) and ("time", runs) until ("end", _)."""
    case = models.CASES[name]
    session = session_of(case, provider, threads)
    binding = bound(case, session, case.feeds())
    pipe.send(where_nodes_run(session, provider))
    while True:
        verb, argument = pipe.recv()
        if verb == "end":
            return
        session.run_with_iobinding(binding)
        if verb == "save":
            outputs = [value.numpy() for value in binding.get_outputs()]
            np.savez(argument, *outputs)
            pipe.send(True)
        else:
            begin = time.perf_counter()
            for _ in range(argument):
                session.run_with_iobinding(binding)
            pipe.send((time.perf_counter() - begin) / argument)


class Runner:
    def __init__(self, name, provider, threads):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, name, provider, threads), daemon=True)
        self.process.start()
        theirs.close()

    def answer(self):
        try:
            return self.pipe.recv()
        except EOFError:
            raise SystemExit("a session's process ended; its message is above") from None

    def ask(self, verb, argument=None):
        self.pipe.send((verb, argument))
        return self.answer()

    def end(self):
        self.pipe.send(("end", None))
        self.process.join()

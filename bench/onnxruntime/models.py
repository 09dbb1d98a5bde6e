"""The models of compare.py by name, and the session that runs one in a process of its own."""

import time

import decoder
import networks
import nodes
import numpy as np

CASES = nodes.CASES | networks.CASES | decoder.CASES


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


def bound(case, session):
    """Return the session's binding, with each output in the memory that the case requires."""
    import onnxruntime

    binding, names = session.io_binding(), [output.name for output in session.get_outputs()]
    of_numpy = onnxruntime.OrtValue.ortvalue_from_numpy
    values = {name: of_numpy(array.copy()) for name, array in case.feeds().items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    for name in names:
        binding.bind_output(name)
    if case.kept_outputs:
        session.run_with_iobinding(binding)
        kept = dict(zip(names, binding.get_outputs()))
        kept |= {output: values[data] for output, data in case.in_place.items()}
        binding.clear_binding_outputs()
        for name in names:
            binding.bind_ortvalue_output(name, kept[name])
    return binding


class Session:
    """A session of a case; its process answers requests with these methods."""

    def __init__(self, name, provider, threads):
        self.provider = provider
        self.session = session_of(CASES[name], provider, threads)
        self.binding = bound(CASES[name], self.session)

    def placement(self):
        """Return operator -> number of nodes that Strew runs, and the reasons for all other nodes."""
        if self.provider == "cpu":
            return {}, {}
        import onnxruntime_ep_strew

        taken, left = {}, {}
        for place in onnxruntime_ep_strew.placement(self.session):
            if place.provider == onnxruntime_ep_strew.get_ep_name():
                taken[place.operator] = taken.get(place.operator, 0) + 1
            elif place.reason:
                left[f"{place.operator}: {place.reason}"] = left.get(f"{place.operator}: {place.reason}", 0) + 1
        return taken, left

    def save(self, path):
        self.session.run_with_iobinding(self.binding)
        np.savez(path, *[value.numpy() for value in self.binding.get_outputs()])

    def time(self, runs):
        """Return the seconds of a run, after a run that wakes the threads."""
        self.session.run_with_iobinding(self.binding)
        begin = time.perf_counter()
        for _ in range(runs):
            self.session.run_with_iobinding(self.binding)
        return (time.perf_counter() - begin) / runs

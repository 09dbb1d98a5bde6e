"""Makes tables for README.md and the pages on performance from the JSON of the programs in bench/."""

import json
import math
import statistics

STYLES = {
    "onnxruntime": ("ONNX Runtime", "s", "#d1495b"),
    "numpy": ("NumPy", "o", "#4d6cfa"),
    "torch": ("PyTorch", "^", "#e98a15"),
    "jax": ("JAX", "D", "#7a9e7e"),
    "openvino": ("OpenVINO", "v", "#8d5a97"),
    "plain": ("plain loop", "x", "#555555"),
}
MODES = {"fresh": "new outputs", "kept": "preallocated outputs", "in_place": "in place"}
README_CALLS = [
    ("524,288 rows of 64 floats added to 1,048,576 rows", "`np.add.at`", "numpy", "scatternd_rows_add"),
    ("481,385 x 80 floats added along axis 0 of 556,416 x 80", "ONNX Runtime `ScatterElements`", "onnxruntime", "scatter_elements_add_rowidx"),
    ("2,097,152 rows of 16 floats looked up in 16,777,216 rows", "`torch.index_select`", "torch", "gather_rows_64B"),
    ("8,388,608 floats added to 67,108,864 floats", "JAX `.at[].add`", "jax", "scatternd_add_uniform"),
]
README_PROGRAMS = [
    ("a training step of a graph network (GCN)", "PyTorch", "steps", "gcn", ("torch", "strew")),
    ("the same training step, compiled", "`torch.compile`", "compiled", "gcn", ("torch compile", "strew compile")),
]
COMPILED = {"torch": "PyTorch", "torch compile": "Inductor", "strew compile": "Strew"}
MEMORY = {"torch": "PyTorch alone", "strew results": '`memory="results"`', "strew": "`install()`"}
GRAPH_PEERS = {"plain loop": "#6b6b6b", "torch CSR": "#d98b2b", "SciPy CSR": "#7a9b3a", "DGL": "#8a5aa3", "torch + Strew": "#7fb2d6", "torch": "#b8b8b8"}
GRAPH_CALLS = {
    "sum": "weighted sum",
    "sum, weights sorted": "weights sorted",
    "sum, edges used once": "used once",
    "sum, bfloat16 added in float32": "bfloat16",
    "gradient of data": "gradient of data",
    "gradient of weights": "gradient of weights",
    "max": "maximum",
    "max with argmax": "with argmax",
    "making edges": "making edges",
}
THREADS = ("1", "2")


def read(path):
    """Return the JSON object of a .json file, or the list of the objects in the lines of a .jsonl file."""
    with open(path) as file:
        return [json.loads(line) for line in file] if str(path).endswith("l") else json.load(file)


def line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def head(cells):
    return [line(cells), line(["---"] * len(cells))]


def threads_text(number):
    return f"{number} thread{'s' * (str(number) != '1')}"


def medians(report, mode, threads):
    """Return workload -> library -> seconds, and workload -> libraries whose result differs, from peers.json."""
    times, differs = {}, {}
    for key, row in report["rows"].items():
        name, row_mode, row_threads = key.split("/")
        if row_mode == mode and int(row_threads) == threads and "strew" in row["seconds"]:
            times[name] = {library: statistics.median(t) for library, t in row["seconds"].items() if t}
            differs[name] = row["differs"]
    return times, differs


def ratios(report, mode, threads):
    """Return the times of the fastest peer with a correct result and of ONNX Runtime, divided by Strew's."""
    times, differs = medians(report, mode, threads)
    peers = {name: [t for library, t in row.items() if library in STYLES and library not in differs[name]] for name, row in times.items()}
    best = {name: min(peers[name]) / row["strew"] for name, row in times.items()}
    runtime = {name: row["onnxruntime"] / row["strew"] for name, row in times.items() if "onnxruntime" in row}
    return best, runtime


def mean(column):
    return f"{statistics.geometric_mean(column.values()):.2f}" if column else "-"


def peer_summary(report):
    yield from head(["outputs", "workloads", *(f"{peer}, {threads_text(t)}" for t in (2, 1) for peer in ("best peer", "ONNX Runtime"))])
    for mode, title in MODES.items():
        columns = [column for threads in (2, 1) for column in ratios(report, mode, threads)]
        yield line([title, len(columns[0]), *map(mean, columns)])


def peer_table(report, mode, threads):
    """Yield the lines of one table, its title and its geometric means."""
    times, differs = medians(report, mode, threads)
    best, runtime = ratios(report, mode, threads)
    columns = [c for c in ("strew", *STYLES, "copy") if any(c in t for t in times.values())]
    yield f"The table shows milliseconds on {threads_text(threads)} ({MODES[mode]}):"
    yield from head(["workload", *columns, "best peer / Strew", "ONNX Runtime / Strew"])
    for name, row in times.items():
        cells = [f"{row[c] * 1e3:.3g}" + "\\*" * (c in differs[name]) if c in row else "-" for c in columns]
        yield line([f"`{name}`", *cells, f"{best[name]:.2f}", f"{runtime[name]:.2f}" if name in runtime else "-"])
    yield f"Geometric means of the last two columns: {mean(best)} and {mean(runtime)}."


def readme(peers, programs):
    yield from head(["work", "library", "library, ms", "Strew, ms", "times as fast"])
    times = medians(peers, "fresh", 2)[0]
    for what, peer, library, workload in README_CALLS:
        other, ours = (times[workload][name] * 1e3 for name in (library, "strew"))
        yield line([what, peer, f"{other:.0f}", f"{ours:.1f}", f"{other / ours:.1f}"])
    for what, peer, kind, program, sides in README_PROGRAMS:
        other, ours = (programs[kind][program]["2"][side]["wall"] * 1e3 for side in sides)
        yield line([what, peer, f"{other:,.0f}", f"{ours:,.0f}", f"{other / ours:.1f}"])


def sweep_best(row):
    peers = {library: seconds for library, seconds in row["seconds"].items() if library != "strew"}
    return min(peers.items(), key=lambda item: item[1]) if peers else (None, math.nan)


def sweep_losses(rows, limit=1.5):
    """Yield a table of the cases in which Strew's time is more than `limit` times the fastest peer's."""
    found = [(row["seconds"]["strew"] / sweep_best(row)[1], row) for row in rows]
    found = sorted((each for each in found if each[0] > limit), key=lambda each: -each[0])
    yield f"{len(found)} of {len(rows)} cases take more than {limit:g} times as long as the best peer."
    yield from head(["times as long", "case", "Strew, us", "best peer", "us", "other result"])
    for ratio, row in found:
        library, seconds = sweep_best(row)
        other = "yes" if library in row["differs"] else ""
        yield line([f"{ratio:.2f}", row["name"], f"{row['seconds']['strew'] * 1e6:.4g}", library, f"{seconds * 1e6:.4g}", other])


def torch_rows(report, kind):
    """Yield the program, the number of threads and the figures of each row."""
    for program, counts in report.get(kind, {}).items():
        for threads, row in counts.items():
            yield program, threads, row


def torch_faster(row):
    return row["torch"]["wall"] / row["strew"]["wall"]


def torch_steps(report, kind):
    yield from head(["program", "threads", "PyTorch, ms", "Strew, ms", "times as fast"])
    for program, threads, row in torch_rows(report, kind):
        alone, on_strew = (f"{row[side]['wall'] * 1e3:,.0f}" for side in ("torch", "strew"))
        yield line([program, threads, alone, on_strew, f"{torch_faster(row):.2f}"])


def torch_memory(report):
    names = MEMORY.values()
    yield from head(["program", "threads", *(f"{name}, ms" for name in names), *(f"{name}, GiB" for name in names)])
    for program, threads, row in torch_rows(report, "memory"):
        found = [row[side] for side in MEMORY]
        peaks = [f"{each['peak'] / 2**30:.2f}" for each in found]
        yield line([program, threads, *(f"{each['wall'] * 1e3:,.0f}" for each in found), *peaks])


def compiled(report):
    names = list(COMPILED.values())
    times = [f"{name}, ms" for name in names]
    yield from head(["program", "threads", *times, "times as fast", *(f"{name}, GiB" for name in names), *(f"{name}, s" for name in names[1:])])
    for program, threads, row in torch_rows(report, "compiled"):
        found = [row[side] for side in COMPILED]
        walls = [each["wall"] * 1e3 for each in found]
        walls = [f"{wall:,.0f}" if wall >= 10 else f"{wall:.2f}" for wall in walls]
        faster = f"{found[1]['wall'] / found[2]['wall']:.2f}"
        peaks = [f"{each['peak'] / 2**30:.2f}" for each in found]
        yield line([program, threads, *walls, faster, *peaks, *(f"{each['compile']:.1f}" for each in found[1:])])


def torch_tables(report):
    found = {"steps": torch_steps(report, "steps"), "memory": torch_memory(report), "deterministic": torch_steps(report, "deterministic")}
    return [row for kind, rows in found.items() if kind in report for row in rows]


def graph_milliseconds(row, call, library):
    times = row["seconds"].get(f"{call} / {library}")
    return statistics.median(times) * 1e3 if times else None


def graph_tables(rows):
    """Yield the lines of both tables: Strew and other libraries, and all calls of Strew."""

    def cells(row, calls):
        times = [graph_milliseconds(row, *call) for call in calls]
        return ["-" if time is None else f"{time:.1f}" for time in times]

    names = ["strew", *GRAPH_PEERS]
    titles = {key: ", ".join(key.rsplit("/", 1)) for key in rows}
    yield from head(["graph, threads", "call", *names])
    for key, row in rows.items():
        for call in ("sum", "max"):
            yield line([titles[key], GRAPH_CALLS[call], *cells(row, [(call, name) for name in names])])
    yield from head(["graph, threads", *GRAPH_CALLS.values()])
    for key, row in rows.items():
        yield line([titles[key], *cells(row, [(call, "strew") for call in GRAPH_CALLS])])


def device_times(report):
    """Yield the table of calls on a device; PyTorch's time is its fastest function's."""
    yield from head(["call", "Strew, ms", "kept indices", "PyTorch", "PyTorch, deterministic", "CuPy", "JAX", "commit"])
    for name, row in report["times"].items():
        found = {key: [ms for who, ms in row["ms"].items() if who.startswith(key)] for key in ("torch", "cupy", "jax")}
        exact = min((ms for who, ms in row["ms"].items() if "deterministic" in who), default=None)
        times = [row["ms"]["strew"], row["ms"].get("strew, kept indices"), min(found["torch"]), exact]
        times += [min(found[key], default=None) for key in ("cupy", "jax")]
        yield line([name, *("-" if ms is None else f"{ms:,.2f}" for ms in times), row["commit"][:7]])


def device_small(report):
    yield from head(["call", "Strew, us", "Strew in a CUDA graph", "PyTorch `index_add_`"])
    for name, row in report["small"].items():
        found = row["microseconds"]
        yield line([name, *(f"{found[who]:.0f}" for who in ("strew", "strew, a graph launched again", "torch index_add_"))])


def many_threads(report):
    """Yield the table of the named workloads on up to 16 threads."""
    counts = ("1", "4", "16")
    yield from head(["workload", *(f"{threads_text(n)}, ms" for n in counts), "16 threads / 1", *(f"PyTorch, {threads_text(n)}" for n in counts)])
    for name, row in report["cpu"].items():
        ours, theirs = row["seconds"]["strew"], row["seconds"]["torch"]
        gain = f"{ours['1'] / ours['16']:.1f}"
        yield line([f"`{name}`", *(f"{ours[n] * 1e3:.3g}" for n in counts), gain, *(f"{theirs[n] / ours[n]:.2f}" for n in counts)])


def model_ratio(case, threads):
    cpu, strew = (statistics.median(case[threads][provider]) for provider in ("cpu", "strew"))
    return cpu / strew


def model_row(name, case):
    cells = []
    for threads in THREADS:
        if threads in case:
            cells += [f"{statistics.median(case[threads][provider]) * 1e3:.3g}" for provider in ("cpu", "strew")]
            cells.append(f"{model_ratio(case, threads):.2f}")
        else:
            cells += ["-"] * 3
    agreement = {case[threads]["agreement"] for threads in THREADS if threads in case}
    return line([f"`{name}`", *cells, ", ".join(sorted(agreement))])


def model_tables(report):
    """Yield the lines of each table, the last with its means."""
    columns = ["CPU, 1 thread", "Strew", "times faster", "CPU, 2 threads", "Strew", "times faster", "outputs"]
    for group, members in model_groups(report["cases"]).items():
        found = {t: [model_ratio(case, t) for case in members.values() if t in case] for t in THREADS}
        means = [f"{statistics.geometric_mean(values):.2f} on {threads_text(t)}" for t, values in found.items() if values]
        yield [*head([group.lower(), *columns]), *(model_row(*each) for each in members.items()), f"Geometric means: {', '.join(means)}."]


def model_groups(cases):
    import workloads

    groups = {"Models": {}, "Chains of nodes": {}, "One node": {}}
    for name, case in cases.items():
        groups["One node" if name in workloads.WORKLOADS else "Chains of nodes" if name.startswith("chain") else "Models"][name] = case
    return groups

"""Why `strew check` and ONNX's checker may disagree: a policy and a pattern of the message of the one that refuses."""

STREW_ONLY = [
    ("opset_import names a domain once", r"opset_import has \d+ entries"),
    ("an opset or IR version that is not known yet is refused", r"opset \d+ is not known|IR version|ir_version"),
    ("a field of the wrong wire type is damage, not an unknown field", r"is stored as .*, not as|not a readable ONNX model"),
    ("shapes and ranks of a node's inputs are compared (A6, A20, A22, A32)",
     r"updates have shape|the ranks must be equal|of rank 0; it needs rank|more than the .* of data|must have|"
     r"batch dimension|dimensions? before"),
    ("indices' tuples and batch_dims are in range (A14, A19)", r"tuples of length|batch_dims .* is outside"),
    ("axis is in range (A18)", r"axis -?\d+ is outside|axis .*(must|cannot)"),
    ("an update is not longer than the cache (A16)", r"long on axis \d+, more than"),
    ("reduction is one of the version's (A31)", r"reduction '.*' (is not known|needs)"),
    ("mode is one of the two", r"mode '.*' is not known"),
    ("an input keeps its type where an output of its name declares another",
     "has type .* does not take(?:.|\n)*\noutput '(data|indices|updates)' is not what the graph declares: type"),
    ("constant indices are in range (A11)", r"indices\[.*\] = -?\d+ is outside"),
    ("what the graph declares is what inference finds", r"is not what the graph declares"),
    ("a declared dimension is not negative", r"is declared with shape .*: -\d+ is negative"),
    ("a name near that of a gather or scatter is taken for a slip", r"is no operator of ONNX; did you mean"),
    ("a reduction has a meaning for the type", r"reduction '.*' is not supported for"),
    ("what no process can address is refused", r"takes \d+ bytes; a process can address"),
]
ONNX_ONLY = [
    ("inputs and outputs may leave out their shape", r"Field 'shape' of 'type' is required but missing"),
    ("inner values may leave out their type", r"Field 'type' of 'value_info' is required"),
    ("a graph needs no name", r"Field 'name' of 'graph' is required"),
    ("what is not used (metadata, documentation) is not decoded", r"Unable to parse proto from file"),
    ("nodes of other operators are not checked", r"No Op registered for|No opset import for domain '(?!ai\.onnx')|Node with schema\(.*::(?!Gather|Scatter|TensorScatter)"),
    ("'ai.onnx' is the default domain", r"No opset import for domain 'ai.onnx'"),
]

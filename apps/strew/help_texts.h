// Texts that --help prints after the options of a command.
#pragma once

namespace strew::app {

inline constexpr const char* kMainFooter = R"(Examples:
  strew op ScatterND data.npy indices.npy updates.npy --reduction add -o out.npy
  strew op ScatterND data.npy indices.npy updates.npy --picture call.svg
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew check model.onnx
  strew test tests

Exit codes: 0 success; 1 no memory, a full disk, an internal error or a failed test; 2 bad input;
3 'check --strict' left a node unchecked. Errors are one line on standard error. With --json they are also
{"error": {"code", "message", "operator", "operand", "axis", "position", "value", "where"}} on standard output.
NO_COLOR=1 turns colour off. 'strew COMMAND --help' describes a command. The Python package has one more command:
'python -m strew playground' opens a page that shows what a call does.)";

inline constexpr const char* kMakeFooter = R"(Examples:
  strew make 'float32[4,2]' --fill 1 -o data.npy
  strew make '[[3], [0], [3]]' -o indices.npy

The type of a list is string, bool, float32 (if a number has a point or an exponent, or is "nan") or int64. FILE ends in
.npy, .npz or .pb.
JSON keys: name, dtype, shape, bytes, file, values.)";

inline constexpr const char* kDoctorFooter = R"(Examples:
  strew doctor
  strew doctor --json

Shows versions, the instruction set, threads, limits and the machine numbers that decide which strategy is chosen.
'python -m strew doctor' also shows the versions of Python packages. Paths, host names and user names are not shown.
JSON keys: version, commit, compiler, instruction_set, processor, processors, threads, system, memory_cache_limit,
scratch_limit (bytes), STREW_NUM_THREADS, STREW_MACHINE, packages, machine_numbers ('strew tune' shows their units).)";

inline constexpr const char* kHelpFooter = R"(Examples:
  strew help op)";

inline constexpr const char* kCompletionFooter = R"(Examples:
  source <(strew completion bash)

'make install' installs the script for bash.)";

inline constexpr const char* kRunFooter = R"(Examples:
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew run model.onnx -i x:bfloat16=x.npy --repeat 20 --threads 2 --hash
  strew run model.onnx --node /layers.0/Gather -i data=table.npy -o output=rows.npy

--node runs one gather or scatter; the model may have other operators. -i and -o then accept both the model's and the
operator's names for the inputs and the output. Inputs that are constants in the model need no file.
Files: .npy, .npz and .pb (ONNX TensorProto). FILE.npz:ARRAY reads one array of several. - is standard input (.npy or
.pb) or standard output (.npy; all text then goes to standard error). NAME:TYPE=FILE reads a .npy file of raw bytes
(such as NumPy's 'V2' for bfloat16) as elements of TYPE, for example bfloat16, float8_e4m3fn or int4. An input may also
be given as a list such as [[3], [0]], whose type is TYPE, or the type that the model declares.
The time excludes reading and writing files. GB/s is the bytes of the inputs given with -i and of all outputs,
divided by the time; GB is 10^9 bytes.
The hash is 64-bit FNV-1a over type, shape and elements.
JSON keys: model; inputs, outputs: name, dtype, shape, bytes, file, hash, values (nested lists, if there
are up to 64 elements; NaN and infinities as strings, bytes that are not UTF-8 as U+FFFD); threads, repeat, seconds,
bytes, gigabytes_per_second.)";

inline constexpr const char* kOpFooter = R"(Examples:
  strew op Gather data.npy indices.npy --axis 1 -o out.npy
  strew op GatherND data.npy indices.npy --batch-dims 1
  strew op ScatterND data.npy indices.npy updates.npy --reduction add -o out.npy
  strew op ScatterElements data.npy indices.npy updates.npy --axis -1 --opset 16
  strew op Gather table.npy ids.npy --out-of-bounds fill --fill-value -1
  strew op ScatterND data.npy indices.npy updates.npy --out-of-bounds drop --negative-indices out_of_bounds
  strew op ScatterND data.npy indices.npy updates.npy --reduction mean --no-include-self
  strew op ScatterND data.npy '[[3],[0],[1],[2]]' updates.npy --reduction add
  strew op TensorScatter cache.npy update.npy write_indices.npy --mode circular -o cache.npy
  strew op ScatterND data.npy indices.npy updates.npy --explain-strategy --threads 2
  strew op ScatterND data.npy indices.npy updates.npy --picture call.svg
  strew op Gather all.npz:data all.npz:rows -o - | strew op GatherElements - order.npy

Files are .npy, .npz and .pb. FILE.npz:ARRAY reads one array of several. - is standard input (.npy or .pb) or output
(.npy; all text then goes to standard error). An array may be given as a list such as [[3], [0]]. A list of whole
numbers for indices is int64; lists for other operands have the type given by --dtype. Without --dtype, a list for data
has the type that 'strew make' gives it, and a list for updates has the type of data.
Prints file, type, shape, size, time and GB/s, then the values (some of them if there are many):
  out.npy  float32 [1048576, 64]  256 MiB  33 ms  15.9 GB/s
The time excludes reading and writing files. The first call also starts threads; use --repeat to exclude that. GB/s is
the bytes of all inputs and the output, divided by the time; GB is 10^9 bytes. For a gather, the size of the output is
counted instead of the size of data. GB/s is not printed for less than 1 MiB.
Without --opset the rules of the library apply: all element types, indices of any integer type. With --opset V the
rules of the operator's version in opset V apply, and no others ('strew ops' lists versions).
Without a reduction, the last of duplicate indices in row-major order wins; --reject-duplicates rejects duplicates.
Indices outside their axis are errors, unless --out-of-bounds is set: clip uses the first or the last position, wrap
uses the index modulo the length of the axis, fill writes --fill-value, and drop omits the update.
Not in ONNX: the reductions 'sub', 'div', 'and', 'or', 'xor' and 'mean'; --no-include-self, which starts a reduction
with the first update of an element; --acc-dtype float32, which rounds at the end; --alpha, which multiplies updates.
A --strategy that does not apply, or would change the bits of the result, is rejected; the message has the reason.
JSON keys: operator, version (null without --opset); inputs, output: name, dtype, shape, bytes, file, hash, values;
strategy with --explain-strategy (name, tasks, reason, scratch_bytes, prefetch_distance, prefetch_blocks,
prefetch_indices, non_temporal_stores, reads_once, indices, considered); threads, repeat, seconds, bytes,
gigabytes_per_second.)";

inline constexpr const char* kCheckFooter = R"(Examples:
  strew check model.onnx
  strew check model.onnx --node /layers.0/Gather
  strew check model.onnx --json

Prints every node with its operator version and the types and shapes that inference finds, then every violation:
  broken.onnx: node 'upd' (ScatterND-16): reduction 'max' needs opset 18 or newer
Nodes of operators that Strew does not run are counted, not checked. Shapes are inferred for Cast, Concat, Reshape to a
constant, Shape, Transpose, Where and elementwise operators; other operators have the output shapes that value_info
declares. Nodes in the bodies of functions and of If, Loop and Scan are checked too. The last line counts the gathers
and scatters that could not be checked fully, because shapes are unknown; onnx.shape_inference.infer_shapes can write
these shapes.
Exit code 2 if there is a violation. Otherwise, with --strict, 3 if a gather or scatter could not be checked fully.
JSON keys: model, opset, ir_version, ok; nodes: name, address (for --node), operator, domain, graph, version, inputs,
outputs (name, dtype, shape; null if unknown, symbols as strings); unchecked: the number of nodes of each unchecked
operator; unknown: the number of gathers and scatters with unknown shapes, by operator; sparse: the names of sparse
tensors, whose elements are not read; violations: code, message, operator, operand, axis, position, value, where, node,
address.)";

inline constexpr const char* kTestFooter = R"(Examples:
  strew test tests
  strew test tests/test_scatternd tests/test_gather_0 --exact --threads 1

A folder with a model.onnx is one test; other folders are searched for tests at any depth. A test has folders
test_data_set_N with input_J.pb and output_J.pb, J being the position among the model's inputs or outputs.
Strew's sources have a test in examples/tests; 'onnx-gather-scatter-conformance --write tests' (a Python package in the
same sources) writes more than 9,000 tests.
Types and shapes must be equal. Floating-point and complex values may differ by 1e-7 + 1e-3 * |expected|; a data.json
beside the model may set other values of "atol" and "rtol". NaN equals NaN. Values of other types must be equal. --exact
requires the same bits. A model or run that must fail has an expect_error.txt, beside the model or in the data set
instead of outputs; the message must contain the text of this file.
The last line is 'N passed, N failed'. Exit code 0 if all passed, 1 if any failed, 2 if there is no test.
JSON keys: passed, failed; tests: path, passed, message (null if passed), seconds.)";

inline constexpr const char* kOpsFooter = R"(Examples:
  strew ops
  strew ops ScatterND --version 13
  strew ops ScatterND --changes 13
  strew ops --json

JSON keys, with --changes: operator, since, changes (version, texts); otherwise newest_opset, newest_ir_version;
operators: operator, version, last_opset, deprecated, function, doc, inputs (name, optional, is_index, doc), output,
output_shape, types, index_types, attributes, function_attributes (of the newest version, with the values Strew adds),
beyond_onnx (name, type, default, doc, values), changes from the version before.)";

inline constexpr const char* kBenchFooter = R"(Examples:
  strew bench ScatterND --data 'float32[1048576,64]' --indices 'int64[524288,1]' --reduction add --threads 2
  strew bench Gather --data 'float16[32000,4096]' --indices 'int64[512]' --pattern skewed
  strew bench TensorScatter --data 'float16[8,8,512,128]' --updates 'float16[8,8,1,128]' --indices 'int64[8]' --in-place

Data and updates are random, not zeros; the output is preallocated. The updates of ScatterElements and ScatterND have
the shape that data and indices require. After a warm-up, times --repeat rounds. Prints the median, the strategy and its
reason, GB/s, and elements gathered or updated per second. GB/s is the bytes of all operands and the output, divided by
the median. For a gather, the size of the output is counted instead of the size of data; with --in-place, indices are
counted once and updates 3 times.
Patterns: runs have 16 equal indices; skewed is a power law with exponent 1.05; equal has the same index everywhere.
'strew run MODEL --node NAME --repeat N' times a node of a model.
JSON keys: operator, data, indices, updates (dtype, shape), reduction, pattern, in_place, threads, repeat, strategy
(name, tasks, reason), elements, bytes, seconds, fastest_seconds, gigabytes_per_second.)";

inline constexpr const char* kTuneFooter = R"(Examples:
  strew tune
  strew tune --output machine.txt --json
  STREW_MACHINE=machine.txt strew bench Gather --data 'float32[65536,64]' --indices 'int64[4096]'

Times about a hundred gathers and scatters for a few seconds. Writes the machine numbers with which the library's
estimates come closest to these times: picoseconds per position, per cache line from each cache and from memory, per
sorted update, and per start of a thread. The library reads them from the file that STREW_MACHINE names, or from
strew/machine.txt in $XDG_CONFIG_HOME or ~/.config. The numbers decide which strategy is chosen; they do not change the
bits of results. Sizes of caches come from the system and are not written.
If other programs keep more than a tenth of the processors busy, writes nothing, and the exit code is 1. With --force,
writes the numbers measured on one thread even then, and leaves shared_line, wake and memory_tasks unchanged.
JSON keys: processor, threads, calls, misfit (median relative error of the estimates), others (processors kept busy by
other programs), file; numbers: name, unit, value, default, measured.)";

}  // namespace strew::app

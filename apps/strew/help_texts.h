// The longer texts of --help.
#pragma once

namespace strew::app {

inline constexpr const char* kMainFooter = R"(Examples:
  strew op ScatterND data.npy indices.npy updates.npy --reduction add -o out.npy
  strew op ScatterND data.npy indices.npy updates.npy --picture call.svg
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew check model.onnx
  strew test tests

Exit codes: 0 success; 1 no memory, a full disk or a fault of the program, or a test that failed; 2 bad input;
3 'check --strict' left a node unchecked. Errors are one line on standard error. With --json they are also
{"error": {"code", "message", "operator", "operand", "axis", "position", "value", "where"}} on standard output.
NO_COLOR=1 turns colour off. 'strew COMMAND --help' says more about a command. The Python package has one more:
'python -m strew playground' opens a page that shows what a call does.)";

inline constexpr const char* kMakeFooter = R"(Examples:
  strew make 'float32[4,2]' --fill 1 -o data.npy
  strew make '[[3], [0], [3]]' -o indices.npy

A list has the type string, bool, float32 (a number with a point or an exponent, or "nan") or int64. FILE ends in .npy,
.npz or .pb.
JSON keys: name, dtype, shape, bytes, file, values.)";

inline constexpr const char* kDoctorFooter = R"(Examples:
  strew doctor
  strew doctor --json

Shows versions, the instruction set, threads, limits and the machine numbers from which strategies are chosen, and
'python -m strew doctor' the versions of Python's packages. No path and no name of the host or the user is shown.
JSON keys: version, commit, compiler, instruction_set, processor, processors, threads, system, memory_cache_limit,
scratch_limit (bytes), STREW_NUM_THREADS, STREW_MACHINE, packages, machine_numbers ('strew tune' says their units).)";

inline constexpr const char* kHelpFooter = R"(Examples:
  strew help op)";

inline constexpr const char* kCompletionFooter = R"(Examples:
  source <(strew completion bash)

'make install' puts it where bash looks for it.)";

inline constexpr const char* kRunFooter = R"(Examples:
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew run model.onnx -i x:bfloat16=x.npy --repeat 20 --threads 2 --hash
  strew run model.onnx --node /layers.0/Gather -i data=table.npy -o output=rows.npy

--node runs one gather or scatter of a model, also of one with other operators. -i and -o name its inputs and output as
the model does or as the operator does; those that are constants in the model need no file.
Files: .npy, .npz with one array or FILE.npz:ARRAY, .pb (ONNX TensorProto); - for standard input (.npy or .pb) and
standard output (.npy; what is told goes to standard error). NAME:TYPE=FILE reads a .npy file of raw bytes (NumPy's
'V2', as it writes bfloat16) as elements of TYPE, for example bfloat16, float8_e4m3fn or int4.
The time is that of the run without reading and writing files. GB/s is the bytes of all inputs given and all
outputs, divided by the time; GB is 10^9 bytes.
The hash is 64-bit FNV-1a over type, shape and elements.
JSON keys: model; inputs, outputs: name, dtype, shape, bytes, file, hash, values (of up to 64 elements, nested lists;
NaN and infinities as strings, bytes that are not UTF-8 as U+FFFD); threads, repeat, seconds, bytes,
gigabytes_per_second.)";

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

Files are .npy, .npz with one array or FILE.npz:ARRAY, .pb; - is standard input (.npy or .pb) or output (.npy; what is
told goes to standard error). A list as [[3], [0]] is an array: int64 as indices, else of the type of data or --dtype;
as data itself float32 or int64. Sizes are bytes, or 64K, 512M, 2G, 1T in powers of 1024.
Prints file, type, shape, size, time and GB/s, then the values (in part, where they are many):
  out.npy  float32 [1048576, 64]  256 MiB  33 ms  15.9 GB/s
The time is that of the operator without reading and writing files; the first call also starts threads, which
--repeat leaves out. GB/s is the bytes of all inputs and the output,
where of a gather's data only as many as the output has are counted, divided by the time; GB is 10^9 bytes. It is left
out where they are less than 1 MiB.
Without --opset the rules are those of the library: all element types, indices of any integer type. With --opset V
they are exactly those of the operator version that a model importing opset V uses ('strew ops' lists them).
Duplicate indices without a reduction: the last in row-major order wins; --reject-duplicates refuses them.
Indices outside their axis are errors, unless --out-of-bounds says otherwise: clip takes the first or the last
position, wrap the index modulo the length of the axis, fill writes --fill-value, drop leaves the update out.
Not ONNX's: reductions sub, div, and, or, xor and mean; --no-include-self, with which a reduction begins with the
first update of an element; --acc-dtype float32, which rounds once; --alpha, by which updates are multiplied.
A strategy that would not keep the bits is refused; --explain-strategy says why.
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
Nodes of other operators are counted and not checked. Shapes pass through Cast, Concat, Reshape by a constant, Shape,
Transpose, Where and operators on elements; what others make has the shape that value_info declares. Nodes in bodies of
If, Loop and Scan and of functions are checked as well. The last line counts the nodes that could not be checked
fully, as shapes are unknown: onnx.shape_inference.infer_shapes writes these into a model.
Exit code 2 if there is a violation; with --strict 3 if there is none, and a node could not be checked.
JSON keys: model, opset, ir_version, ok; nodes: name, address (what --node takes), operator, domain, graph, version,
inputs, outputs (name, dtype, shape; null where unknown, symbols as strings); unchecked: the number of nodes of each
other operator; unknown: that of nodes with unknown shapes; sparse: the names of sparse tensors,
whose elements are not read; violations: code, message, operator, operand, axis, position, value, where, node,
address.)";

inline constexpr const char* kTestFooter = R"(Examples:
  strew test tests
  strew test tests/test_scatternd tests/test_gather_0 --exact --threads 1

A folder with a model.onnx is one test; other folders are searched for tests at any depth. A test has folders
test_data_set_N with input_J.pb and output_J.pb, J being the position among the model's inputs or outputs.
Strew's sources have one in examples/tests; 'onnx-gather-scatter-conformance --write tests' (a Python package beside
them) writes more than 9,000.
Types and shapes must be equal. Floating-point values may differ by 1e-7 + 1e-3 * |expected|, or as "rtol" and "atol"
in a data.json beside the model say; NaN equals NaN. All other values must be equal. --exact wants the same bits.
An expect_error.txt beside the model, or in a data set in place of outputs, says that the model or the run must fail
with a message that contains its text.
The last line is 'N passed, N failed'. Exit code 0 if all passed, 1 if one failed, 2 if there is no test.
JSON keys: passed, failed; tests: path, passed, message (null if passed), seconds.)";

inline constexpr const char* kOpsFooter = R"(Examples:
  strew ops
  strew ops ScatterND --version 13
  strew ops ScatterND --changes 13
  strew ops --json

JSON keys, with --changes: operator, since, changes (version, texts); else newest_opset, newest_ir_version;
operators: operator, version, last_opset, deprecated, function, doc, inputs (name, optional, is_index, doc), output,
output_shape, types, index_types, attributes, function_attributes (of the newest version, with Strew's words),
beyond_onnx (name, type, default, doc, values), changes from the version before.)";

inline constexpr const char* kBenchFooter = R"(Examples:
  strew bench ScatterND --data 'float32[1048576,64]' --indices 'int64[524288,1]' --reduction add --threads 2
  strew bench Gather --data 'float16[32000,4096]' --indices 'int64[512]' --pattern skewed
  strew bench TensorScatter --data 'float16[8,8,512,128]' --updates 'float16[8,8,1,128]' --indices 'int64[8]' --in-place

Operands are random and never zero; the output is kept between calls. The updates of ScatterElements and ScatterND
have the shape that data and indices ask for. After one call that is not measured come the rounds; shown are the
median, the strategy and why it was chosen, GB/s of all operands and the output (of a gather's data, only as many
bytes as the output has; in place, three times the updates), and elements gathered or updated in a second.
Patterns: runs are of 16 equal indices; skewed is a power law of exponent 1.05; equal is one place for all.
A node of a model is timed by strew run MODEL --node NAME --repeat N.
JSON keys: operator, data, indices, updates (dtype, shape), reduction, pattern, in_place, threads, repeat, strategy
(name, tasks, reason), elements, bytes, seconds, fastest_seconds, gigabytes_per_second.)";

inline constexpr const char* kTuneFooter = R"(Examples:
  strew tune
  strew tune --output machine.txt --json
  STREW_MACHINE=machine.txt strew bench Gather --data 'float32[65536,64]' --indices 'int64[4096]'

Times about a hundred gathers and scatters for some seconds, and writes the numbers by which what strategies are
expected to take comes nearest to that: picoseconds of a position, a line of each cache and of memory, an update that
is sorted, and until another thread begins. The library reads them from the file that STREW_MACHINE names, or from
strew/machine.txt in $XDG_CONFIG_HOME or ~/.config. They say which strategy is chosen; results have the same bits
with any numbers. Sizes of caches are as the system says, and not written.
Where other programs keep more than a tenth of the processors busy nothing is written, and the exit code is 1. With
--force the numbers of one thread are, and wake and memory_tasks stay as they are.
JSON keys: processor, threads, calls, misfit (the median by which calls take longer or shorter than the numbers say),
others (processors kept busy by other programs), file; numbers: name, unit, value, default, measured.)";

}  // namespace strew::app

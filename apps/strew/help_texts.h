// The longer texts of --help.
#pragma once

namespace strew::app {

inline constexpr const char* kMainFooter = R"(Examples:
  strew op ScatterND data.npy indices.npy updates.npy --reduction add -o out.npy
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew check model.onnx
  strew test onnx/backend/test/data/node

Exit codes: 0 success; 1 a fault of the program (out of memory), or a test that failed; 2 bad input.
Errors are one line on standard error. With --json they are also {"error": {"code", "message"}} on standard
output. NO_COLOR=1 turns colour off.
'strew COMMAND --help' says more about a command.)";

inline constexpr const char* kRunFooter = R"(Examples:
  strew run model.onnx -i data=cache.npy -i indices=slots.npy -i updates=new.npy -o y=out.npy
  strew run model.onnx -i x:bfloat16=x.npy --repeat 20 --threads 2 --hash

Files: .npy, .npz with one array, .pb (ONNX TensorProto). NAME:TYPE=FILE reads a .npy file of raw bytes (NumPy's
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
  strew op TensorScatter cache.npy update.npy write_indices.npy --mode circular -o cache.npy

Prints file, type, shape, size, time and GB/s, then the values (in part, where they are many):
  out.npy  float32 [1048576, 64]  256 MiB  33 ms  15.9 GB/s
The time is that of the operator without reading and writing files. GB/s is the bytes of all inputs and the output,
where of a gather's data only as many as the output has are counted, divided by the time; GB is 10^9 bytes.
Without --opset the rules are those of the library: all element types, indices of any integer type. With --opset V
they are exactly those of the operator version that a model importing opset V uses ('strew ops' lists them).
Duplicate indices without a reduction: the last in row-major order wins; --reject-duplicates refuses them.
JSON keys: operator, version (null without --opset); inputs, output: name, dtype, shape, bytes, file, hash, values;
threads, repeat, seconds, bytes, gigabytes_per_second.)";

inline constexpr const char* kCheckFooter = R"(Examples:
  strew check model.onnx
  strew check model.onnx --json

Prints every node with its operator version and the types and shapes that inference finds, then every violation:
  broken.onnx: node 'upd' (ScatterND-16): reduction 'max' needs opset 18 or newer
Exit code 2 if there is a violation.
JSON keys: model, opset, ir_version, ok; nodes: name, operator, domain, version, inputs, outputs (name, dtype, shape;
null where unknown, symbols as strings); violations: code, message, node.)";

inline constexpr const char* kTestFooter = R"(Examples:
  strew test onnx/backend/test/data/node
  strew test tests/test_scatternd tests/test_gather_0 --exact --threads 1

A folder with a model.onnx is one test; other folders are searched for tests at any depth. A test has folders
test_data_set_N with input_J.pb and output_J.pb, J being the position among the model's inputs or outputs.
Types and shapes must be equal. Floating-point values may differ by 1e-7 + 1e-3 * |expected|, or as "rtol" and "atol"
in a data.json beside the model say; NaN equals NaN. All other values must be equal. --exact wants the same bits.
An expect_error.txt beside the model, or in a data set in place of outputs, says that the model or the run must fail
with a message that contains its text.
The last line is 'N passed, N failed'. Exit code 0 if all passed, 1 if one failed, 2 if there is no test.
JSON keys: passed, failed; tests: path, passed, message (null if passed), seconds.)";

inline constexpr const char* kOpsFooter = R"(Example:
  strew ops --json

JSON keys: newest_opset, newest_ir_version; operators: operator, version, deprecated, inputs (name, optional,
is_index), output, types, index_types, attributes (name, type, default, values).)";

}  // namespace strew::app

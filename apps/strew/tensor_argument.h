// A tensor on the command line: a file, an array of an archive, a standard stream, or a literal.
#pragma once

#include <optional>
#include <string>

#include "console.h"
#include "strew/tensor.h"

namespace strew::app {

/// Name of standard input and standard output.
inline constexpr const char* kStream = "-";

/// Reads FILE, "FILE.npz:NAME", "-" (.npy or .pb on standard input) or a literal. `dtype` is the type of a literal
/// or of a .npy file of raw bytes.
Result<Tensor> load_input(const std::string& file, std::optional<DType> dtype);

/// Rejects a name that `save_output` could not write to, before any work. `json`: JSON goes to standard output.
Status check_output(const std::string& file, bool json);

/// Reports that `file` could not be written. Returns the exit code: kBadInput if `file` is a folder, or is in
/// a folder that is not writable, else kFault (such as for a full disk).
int report_unwritten(const Error& error, const std::string& file, bool json);

/// Writes a file, or .npy to standard output for "-".
Status save_output(const std::string& file, const Tensor& tensor, const std::string& name);

}  // namespace strew::app

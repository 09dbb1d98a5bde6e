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
/// or of raw bytes in a .npy or .npz file.
Result<Tensor> load_input(const std::string& file, std::optional<DType> dtype);

/// Rejects, before any work, a name that `save_output` cannot use. `json` is true if JSON goes to standard output.
Status check_output(const std::string& file, bool json);

/// Reports that `file` could not be written. Returns the exit code: kBadInput if `file` is a folder, or is in
/// a folder that is not writable; kFault for any other reason, such as a full disk.
int report_unwritten(const Error& error, const std::string& file, bool json);

/// Writes a tensor to a file, or in .npy format to standard output if `file` is "-".
Status save_output(const std::string& file, const Tensor& tensor, const std::string& name);

}  // namespace strew::app

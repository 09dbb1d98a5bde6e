// Reads and writes the tensors of a command line.
#include "tensor_argument.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "parse_element.h"
#include "strew/tensor_file.h"

namespace strew::app {
namespace {

constexpr std::string_view kArchive = ".npz:";
constexpr std::size_t kLongestShown = 40;  // maximum bytes of a literal in a message

Status check_own_type(bool has_own_type, std::optional<DType> dtype) {
  if (!dtype || !has_own_type) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the type {} applies only to .npy and .npz files; a .pb file has its own type", dtype_name(*dtype));
}

Result<std::vector<std::byte>> read_standard_input() {
  std::vector<std::byte> bytes;
  std::vector<std::byte> part(1 << 16);
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(ErrorCode::kIo, "{}", std::strerror(errno));
    if (size == 0) return bytes;
    bytes.insert(bytes.end(), part.begin(), part.begin() + size);
  }
}

Result<Tensor> load_standard_input(std::optional<DType> dtype) {
  STREW_ASSIGN(const auto& bytes, read_standard_input());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "empty; it must have a .npy or .pb file, and only one operand can be read from it");
  }
  if (text.starts_with("PK")) {
    return fail(ErrorCode::kUnsupported, "an archive; only .npy and .pb can be read here");
  }
  if (text.starts_with("\x93NUMPY")) return parse_npy(bytes, dtype);
  STREW_TRY(check_own_type(true, dtype));
  STREW_ASSIGN(auto&& named, parse_tensor_pb(bytes));
  return std::move(named.tensor);
}

// Returns the end of "FILE.npz" in "FILE.npz:NAME"; npos for any other text, and for the name of an existing file.
std::size_t archive_end(const std::string& file) {
  std::error_code none;
  const std::size_t at = file.rfind(kArchive);
  return at == std::string::npos || std::filesystem::exists(file, none) ? std::string::npos
                                                                        : at + kArchive.size() - 1;
}

Result<Tensor> load_from_archive(const std::string& file, const std::string& name, std::optional<DType> dtype) {
  STREW_ASSIGN(auto&& arrays, load_npz(file, dtype));
  std::vector<std::string_view> names;
  for (NamedTensor& array : arrays) {
    if (array.name == name) return std::move(array.tensor);
    names.push_back(array.name);
  }
  return fail(ErrorCode::kInvalidArgument, "no array '{}'{}", name, choices_text(name, names));
}

Result<Tensor> load_file(const std::string& file, std::optional<DType> dtype) {
  const std::filesystem::path path(file);
  STREW_TRY(check_own_type(path.extension() == ".pb", dtype));
  auto tensor = load_tensor(path, dtype);
  std::error_code none;
  const bool may_be_list = !tensor && tensor.error().code == ErrorCode::kUnsupported && !exists(path, none);
  if (may_be_list) tensor.error().text += "; a list of numbers is written as '[3, 0]'";
  const bool other_than_one = !tensor && std::holds_alternative<std::int64_t>(tensor.error().value());
  if (other_than_one) tensor.error().text += fmt::format("; {}:NAME selects one", file);
  return tensor;
}

}  // namespace

Result<Tensor> load_input(const std::string& file, std::optional<DType> dtype) {
  if (file == kStream) {
    auto tensor = load_standard_input(dtype);
    if (!tensor) return fail_in("standard input", std::move(tensor).error());
    return tensor;
  }
  if (is_literal(file)) {
    auto tensor = parse_literal(file, dtype);
    if (!tensor) return fail_in(one_line(file, kLongestShown), std::move(tensor).error());
    return tensor;
  }
  const std::size_t end = archive_end(file);
  auto tensor = end == std::string::npos ? load_file(file, dtype)
                                         : load_from_archive(file.substr(0, end), file.substr(end + 1), dtype);
  if (!tensor) return fail_in(end == std::string::npos ? file : file.substr(0, end), std::move(tensor).error());
  return tensor;
}

Status check_output(const std::string& file, bool json) {
  if (file == kStream) {
    if (json)
      return fail(ErrorCode::kInvalidArgument, "-o -: standard output takes the tensor or --json, not both");
    if (::isatty(STDOUT_FILENO) == 1)
      return fail(ErrorCode::kInvalidArgument, "-o -: standard output is a terminal; redirect it, or name a file");
    return {};
  }
  const auto ending = std::filesystem::path(file).extension();
  if (ending == ".npy" || ending == ".npz" || ending == ".pb") return {};
  return fail(ErrorCode::kInvalidArgument, "-o {}: the name of a tensor file must end in .npy, .npz or .pb", file);
}

int report_unwritten(const Error& error, const std::string& file, bool json) {
  const auto folder = std::filesystem::path(file).parent_path();
  const bool takes_files = file == kStream || ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  std::error_code none;
  const bool refused = !takes_files || std::filesystem::is_directory(file, none);
  return report_error(error, json && file != kStream, refused ? kBadInput : kFault);
}

Status save_output(const std::string& file, const Tensor& tensor, const std::string& name) {
  if (file != kStream) {
    Status saved = save_tensor(file, tensor, name);
    if (!saved) return fail_in(file, std::move(saved).error());
    return saved;
  }
  const auto bytes = serialize_npy(tensor);
  if (!bytes) return fail_in("standard output", bytes.error());
  std::fwrite(bytes->data(), 1, bytes->size(), stdout);
  return finish_output();
}

}  // namespace strew::app

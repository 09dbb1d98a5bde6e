// Untrusted .npy and .npz files. The first byte selects the format, and the element type of arrays of raw bytes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "files.h"
#include "strew/tensor_file.h"

namespace {

void check_error(const strew::Error& error) {
  if (error.message().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const int choice = bytes[0];
  const std::span rest(bytes + 1, size - 1);
  const auto dtype = static_cast<strew::DType>(choice / 2);
  const bool named = strew::kDTypeMin <= static_cast<int>(dtype) && static_cast<int>(dtype) <= strew::kDTypeMax;
  const auto raw_as = named ? std::optional(dtype) : std::nullopt;
  const strew::fuzz::NamelessFile file(rest);
  if (choice % 2 == 0) {
    const auto array = strew::load_npy(file.path(), raw_as);
    if (!array) check_error(array.error());
    const auto from_memory = strew::parse_npy(std::as_bytes(rest));
    if (from_memory && !raw_as && !array) std::abort();
  } else {
    const auto arrays = strew::load_npz(file.path(), raw_as);
    if (!arrays) check_error(arrays.error());
  }
  return 0;
}

// Untrusted TensorProto messages. A tensor that was read is written and read again, and must have the same bits.
#include <cstdint>
#include <cstdlib>

#include "files.h"
#include "strew/tensor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::span message(bytes, size);
  const auto read = size % 4 == 0 ? strew::load_tensor_pb(strew::fuzz::NamelessFile(message).path())
                                  : strew::parse_tensor_pb(std::as_bytes(message));
  if (!read) return read.error().message().empty() ? std::abort(), 0 : 0;
  const auto written = strew::serialize_tensor_pb(read->tensor.view(), read->name);
  if (!written) std::abort();
  const auto again = strew::parse_tensor_pb(std::as_bytes(std::span(*written)));
  if (!again || again->name != read->name || again->tensor.dtype() != read->tensor.dtype() ||
      again->tensor.shape() != read->tensor.shape()) {
    std::abort();
  }
  // Compares the written bytes, because bits after the last packed element are undefined in memory.
  const auto rewritten = strew::serialize_tensor_pb(again->tensor.view(), again->name);
  if (!rewritten || *rewritten != *written) std::abort();
  return 0;
}

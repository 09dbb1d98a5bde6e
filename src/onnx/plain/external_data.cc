// Rejects external data, since this build reads no files.
#include "core/error.h"
#include "onnx/tensor_message.h"

namespace strew {

Result<ExternalBytes> open_external_data(const ExternalData& data, const std::filesystem::path&,
                                         const std::optional<std::filesystem::path>&, std::int64_t,
                                         ExternalFiles&) {
  return fail(ErrorCode::kUnsupported, "external_data location '", data.location.value_or(""),
              "': this build of the library reads no files");
}

}  // namespace strew

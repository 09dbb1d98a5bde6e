// Draws a call into a file.
#include "picture.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "op_call.h"
#include "strew/picture.h"

namespace strew::app {

Status check_picture(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".svg") return {};
  return fail(ErrorCode::kInvalidArgument,
              "--picture {}: the name of a picture ends in .svg; rsvg-convert makes a PNG of one", file);
}

Status save_picture(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                    const std::optional<Error>& refusal) {
  const OpKind kind = op_kind(options.op_type);
  const std::string title = fmt::format("{}-{}", op.op_type, op.since_version);
  const auto call = refusal ? Result<OpCall>(fail(*refusal)) : make_op_call(options, operands);
  errno = 0;
  std::ofstream file(options.picture, std::ios::binary);
  file << (call ? draw(kind, call->plan, call->operands, {title})
                : draw(kind, fail(call.error()), operands_of(kind, operands), {title}));
  file.close();
  if (file) return {};
  return fail(ErrorCode::kIo, "--picture {}: cannot write: {}", options.picture, std::strerror(errno));
}

}  // namespace strew::app

// Names of error codes, text of others in messages.
#include "core/error.h"

#include <algorithm>

namespace strew {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidType:
      return "invalid type";
    case ErrorCode::kIndexOutOfRange:
      return "index out of range";
    case ErrorCode::kInvalidModel:
      return "invalid model";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
    case ErrorCode::kDevice:
      return "device error";
  }
  return "unknown error";
}

std::string one_line(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  std::size_t shown = cut ? most : text.size();
  while (cut && shown > 0 && (text[shown] & '\xC0') == '\x80') --shown;  // not inside a character of UTF-8
  std::string line(text.substr(0, shown));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == '\x7F'; }, ' ');
  if (cut) line += concat("\u2026 (", text.size(), " bytes)");
  return line;
}

}  // namespace strew

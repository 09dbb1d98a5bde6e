#include "option_numbers.h"

#include <limits>
#include <string_view>

namespace strew::app {

CLI::Validator byte_size() {
  const auto to_bytes = [](std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [after, fault] = std::from_chars(text.data(), end, number);
    std::string_view unit(after, static_cast<std::size_t>(end - after));
    if (unit.ends_with("iB")) unit.remove_suffix(2);
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;  // npos + 1 is 0
    const bool has_unit = unit.size() <= 1 && (unit.empty() ? after == end : power > 0);
    const auto shift = static_cast<int>(10 * power);
    if (fault == std::errc() && number >= 0 && has_unit &&
        number <= std::numeric_limits<std::int64_t>::max() >> shift) {
      text = fmt::to_string(number << shift);
      return std::string();
    }
    return fmt::format("{} is not a size; write bytes, or K, M, G, T for powers of 1024, as in 512M", text);
  };
  return CLI::Validator(to_bytes, "");
}

}  // namespace strew::app

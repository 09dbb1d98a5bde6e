#include "console.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace strew::app {
namespace {

bool use_colour(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

constexpr std::int64_t kManySteps = 20;
constexpr std::int64_t kBarWidth = 40;

}  // namespace

void say(const std::string& text) noexcept {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string choices_text(std::string_view name, std::span<const std::string_view> names) {
  if (names.empty()) return "; there are none";
  const std::string_view choose = names.size() == 1 ? "the only choice is" : "choose from";
  return fmt::format("; {} {}{}", choose, fmt::join(names, ", "), did_you_mean(name, names));
}

tl::unexpected<Error> fail_in(const std::string& where, Error error) {
  const std::string front = one_line(where);
  const std::string before = error.where();
  if (!where.empty() && !(before + ":").starts_with(front + ":"))
    error.details().where = front + (before.empty() ? "" : ": ") + before;
  return fail(std::move(error));
}

std::string coloured(const std::string& text, Colour colour, std::FILE* stream) {
  if (!use_colour(stream)) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", colour == Colour::kGreen ? 32 : 31, text);
}

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

int exit_code_of(const Error& error) noexcept {
  return error.code == ErrorCode::kOutOfMemory ? kFault : kBadInput;
}

int report_error(const Error& error, bool json, int exit_code) {
  if (json) print_json({{"error", error_json(error)}});
  std::fflush(stdout);
  say(fmt::format("{} {}\n", coloured("strew:", Colour::kRed, stderr), one_line(error.message(), kLongestLine)));
  return exit_code;
}

Status finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return fail(ErrorCode::kIo, "standard output: {}", std::strerror(errno));
}

Progress::Progress(std::int64_t total)
    : total_(total),
      enabled_(total >= kManySteps && isatty(STDERR_FILENO) == 1),
      next_draw_(std::chrono::steady_clock::now()) {}

void Progress::advance() {
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || (now < next_draw_ && !cleared_)) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  const auto filled = static_cast<std::size_t>(kBarWidth * done_ / total_);
  std::fflush(stdout);
  say(fmt::format("\r[{:<{}}] {}/{}", std::string(filled, '#'), kBarWidth, done_, total_));
  drawn_ = true;
  cleared_ = false;
}

void Progress::clear() {
  if (!drawn_) return;
  say("\r\x1b[K");
  drawn_ = false;
  cleared_ = true;
}

}  // namespace strew::app

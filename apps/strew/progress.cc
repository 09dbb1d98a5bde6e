// A progress bar on standard error.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "console.h"

namespace strew::app {
namespace {

constexpr std::int64_t kManySteps = 20;
constexpr std::int64_t kBarWidth = 40;

}  // namespace

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

// What other programs do, as the kernel counts it.
#include "load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <string>

namespace strew::app {

// The first line of /proc/stat: "cpu user nice system idle iowait irq softirq steal", in ticks.
std::optional<OtherLoad::Seen> OtherLoad::look() {
  std::ifstream file("/proc/stat");
  std::string word;
  std::array<double, 8> ticks{};
  file >> word;
  for (double& count : ticks) file >> count;
  const double a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  if (!file || word != "cpu" || a_second <= 0) return std::nullopt;
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  std::timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  return Seen{std::chrono::steady_clock::now(), busy / a_second,
              static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9};
}

OtherLoad::OtherLoad() : begin_(look()) {}

std::optional<double> OtherLoad::processors() const {
  const std::optional<Seen> now = look();
  if (!begin_ || !now) return std::nullopt;
  const double seconds = std::chrono::duration<double>(now->at - begin_->at).count();
  if (seconds <= 0) return std::nullopt;
  return std::max(0.0, (now->busy - begin_->busy - (now->own - begin_->own)) / seconds);
}

}  // namespace strew::app

// CPU load of other programs, as counted by the kernel.
#include "load.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace strew::app {
namespace {

// Returns the processors that the calling thread may run on. If the machine has too many for a cpu_set_t, all bits
// are set.
cpu_set_t usable_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return set;
  std::memset(&set, 0xFF, sizeof set);
  return set;
}

}  // namespace

int usable_processors() {
  const cpu_set_t set = usable_set();
  const int count = CPU_COUNT(&set);
  return std::max(count < CPU_SETSIZE ? count : static_cast<int>(std::thread::hardware_concurrency()), 1);
}

// Reads lines of /proc/stat: "cpu0 user nice system idle iowait irq softirq steal", in ticks. The first line,
// without a number, is the sum of all processors.
std::optional<OtherLoad::Seen> OtherLoad::look() {
  const cpu_set_t set = usable_set();
  const double a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  double busy = 0;
  int counted = 0;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    unsigned processor = 0;
    std::array<double, 8> ticks{};
    if (line[3] == ' ' || !(words >> processor)) continue;
    for (double& count : ticks) words >> count;
    if (!words || processor >= CPU_SETSIZE || !CPU_ISSET(processor, &set)) continue;
    busy += ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    ++counted;
  }
  if (counted == 0 || a_second <= 0) return std::nullopt;
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

// Affinity and quotas. A container sees all processors of its host, but a quota stops it for the rest of each
// period once it has used its share: more threads than that wait for each other.
#include "core/linux/cpu_count.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>

namespace strew {
namespace {

constexpr std::size_t kMaxProcessors = std::size_t{1} << 20;

// The quota of one group, in microseconds of each period; nothing where it has none ("max", or -1).
struct Quota {
  long long each = 0;
  long long period = 0;
};

Quota quota_in(const std::string& folder, bool second) {
  Quota quota;
  if (second) {
    std::ifstream(folder + "/cpu.max") >> quota.each >> quota.period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota.each;
    std::ifstream(folder + "/cpu.cfs_period_us") >> quota.period;
  }
  return quota;
}

int least_of(std::string folder, std::size_t root, bool second, int most) {
  for (;;) {
    const Quota quota = quota_in(folder, second);
    if (quota.each > 0 && quota.period > 0) {
      const long long whole = (quota.each - 1) / quota.period + 1;
      most = static_cast<int>(std::min<long long>(most, whole));
    }
    const std::size_t last = folder.rfind('/');
    if (last == std::string::npos || last < root) return most;
    folder.resize(last);
  }
}

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

int processors_of_groups(const std::string& groups, const std::string& root, int most) {
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {  // "0::/group", in the first version "4:cpu,cpuacct:/group"
    const std::size_t first = line.find(':');
    const std::size_t next = first == std::string::npos ? first : line.find(':', first + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, next - first - 1);
    if (!controllers.empty() && !has_cpu(controllers)) continue;
    const std::string base = controllers.empty() ? root : root + "/cpu";
    most = least_of(base + line.substr(next + 1), base.size(), controllers.empty(), most);
  }
  return std::max(most, 1);
}

int processors_of_affinity(GetAffinity get) noexcept {
  for (std::size_t most = CPU_SETSIZE; most <= kMaxProcessors; most *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(most), [](cpu_set_t* s) { CPU_FREE(s); });
    if (set == nullptr) return 1;
    if (get(0, bytes, set.get()) == 0) return std::max(CPU_COUNT_S(bytes, set.get()), 1);
    if (errno != EINVAL) return 1;  // else the set is too small for the kernel's
  }
  return 1;
}

int usable_processors() noexcept {
  const int most = processors_of_affinity(&::sched_getaffinity);
  try {
    return processors_of_groups("/proc/self/cgroup", "/sys/fs/cgroup", most);
  } catch (const std::bad_alloc&) {
    return most;
  }
}

int thread_count_from(const char* text, int most) noexcept {
  if (text == nullptr) return 0;
  const std::string_view view(text);
  int count = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), count);
  const bool number = error == std::errc() && end == view.data() + view.size();
  return number && count >= 1 && count <= most ? count : 0;
}

}  // namespace strew

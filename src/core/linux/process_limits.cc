// Reads the affinity and the limits of control groups. A container sees all processors of its host, but once its
// threads have used up the CPU quota of a period, Linux stops them for the rest of that period.
#include "core/linux/process_limits.h"

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

// CPU quota of one control group: `each` microseconds in every `period` microseconds; 0 or -1 if unlimited.
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

bool has_controller(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Returns the minimum of `most` and of limit(folder, second) over the control groups of the process and their
// parents. `second` is true for a group of version 2.
template <class Limit>
std::int64_t least_of_groups(const ControlGroups& groups, const std::string& controller, std::int64_t most,
                             const Limit& limit) {
  std::ifstream file(groups.list);
  for (std::string line; std::getline(file, line);) {  // "0::/group" in version 2, "4:cpu:/group" in version 1
    const std::size_t first = line.find(':');
    const std::size_t next = first == std::string::npos ? first : line.find(':', first + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, next - first - 1);
    const bool second = controllers.empty();
    if (!second && !has_controller(controllers, controller)) continue;
    const std::string base = second ? groups.root : groups.root + '/' + controller;
    std::string folder = base + line.substr(next + 1);
    for (std::size_t end = folder.size(); end != std::string::npos && end >= base.size();
         end = folder.rfind('/')) {
      folder.resize(end);
      most = std::min(most, limit(folder, second));
    }
  }
  return most;
}

}  // namespace

int processors_of_groups(const ControlGroups& groups, int most) {
  const std::int64_t least = least_of_groups(groups, "cpu", most, [most](const std::string& folder, bool second) {
    const Quota quota = quota_in(folder, second);
    const bool limited = quota.each > 0 && quota.period > 0;
    return limited ? std::int64_t{(quota.each - 1) / quota.period + 1} : most;
  });
  return std::max(static_cast<int>(least), 1);
}

std::int64_t memory_of_groups(const ControlGroups& groups, std::int64_t most) {
  return least_of_groups(groups, "memory", most, [most](const std::string& folder, bool second) {
    long long bytes = 0;
    std::ifstream(folder + (second ? "/memory.max" : "/memory.limit_in_bytes")) >> bytes;
    return bytes > 0 ? std::int64_t{bytes} : most;
  });
}

int processors_of_affinity(GetAffinity get) noexcept {
  for (std::size_t most = CPU_SETSIZE; most <= kMaxProcessors; most *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(most), [](cpu_set_t* s) { CPU_FREE(s); });
    if (set == nullptr) return 1;
    if (get(0, bytes, set.get()) == 0) return std::max(CPU_COUNT_S(bytes, set.get()), 1);
    if (errno != EINVAL) return 1;  // EINVAL: the set is smaller than the kernel's
  }
  return 1;
}

int usable_processors() noexcept {
  const int most = processors_of_affinity(&::sched_getaffinity);
  try {
    return processors_of_groups({}, most);
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

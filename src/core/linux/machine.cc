// Reads cache sizes from the kernel (sysconf may return the sum of L3 over all sockets), and memory.
#include "core/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/linux/process_limits.h"
#include "strew/testing.h"

namespace strew {
namespace {

// Returns the first word of a small file; empty if there is none.
std::array<char, 32> word_of(const char* folder, const char* name) noexcept {
  std::array<char, 32> word{};
  std::array<char, 640> path{};
  std::snprintf(path.data(), path.size(), "%s/%s", folder, name);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.data(), "re"), &std::fclose);
  if (file != nullptr && std::fscanf(file.get(), "%31s", word.data()) != 1) word[0] = '\0';
  return word;
}

// Parses "48K" or "32M"; 0 if it is no number.
std::int64_t bytes_of(const char* text) noexcept {
  long number = 0;
  char unit = ' ';
  if (std::sscanf(text, "%9ld%c", &number, &unit) < 1 || number < 0) return 0;
  return std::int64_t{number} << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

using Path = std::array<char, 512>;

// Returns the bytes of swap. A line of /proc/meminfo is "SwapTotal:  1024 kB".
std::int64_t ask_swap() noexcept {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/meminfo", "re"), &std::fclose);
  Path line{};
  while (file != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr) {
    long long kilobytes = 0;
    if (std::sscanf(line.data(), "SwapTotal: %15lld", &kilobytes) == 1) return std::int64_t{kilobytes} << 10;
  }
  return 0;
}

void ask_memory(Machine& found) {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t bytes = pages > 0 ? pages * sysconf(_SC_PAGESIZE) : found.memory;
  found.memory = bytes;
  if (pages > 0) found.most_memory = bytes + ask_swap();
  const std::int64_t limit = memory_of_groups({}, found.most_memory);
  found.memory = std::min(bytes, limit);
  if (pages > 0) found.most_memory = limit;
}

}  // namespace

std::string processor_name() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/cpuinfo", "re"), &std::fclose);
  Path line{};
  while (file != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr) {
    line[std::strcspn(line.data(), "\n")] = '\0';
    const char* const colon = std::strstr(line.data(), ": ");
    const bool names =
        std::strncmp(line.data(), "model name", 10) == 0 || std::strncmp(line.data(), "CPU part", 8) == 0;
    if (names && colon != nullptr) return one_line(colon + 2, 100);
  }
  return "unknown";
}

Machine ask_machine() noexcept {
  Machine found;
  for (int index = 0; index < 8; ++index) {
    std::array<char, 64> folder{};
    std::snprintf(folder.data(), folder.size(), "/sys/devices/system/cpu/cpu0/cache/index%d", index);
    const std::int64_t bytes = bytes_of(word_of(folder.data(), "size").data());
    if (bytes <= 0 || std::strcmp(word_of(folder.data(), "type").data(), "Instruction") == 0) continue;
    const char level = word_of(folder.data(), "level")[0];
    if (level == '1') found.l1d_bytes = bytes;
    if (level == '2') found.l2_bytes = bytes;
    if (level == '3') found.l3_bytes = bytes;
  }
  try {
    ask_memory(found);
  } catch (const std::exception&) {  // out of memory: keep the values found so far
  }
  return found;
}

}  // namespace strew

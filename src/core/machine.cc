// Asking the operating system for cache sizes. The C library's answer for the third level can be that of all
// sockets together, so the kernel is asked.
#include "core/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>

namespace strew {
namespace {

// The first word of a small file; empty where there is none.
std::array<char, 32> word_of(const char* folder, const char* name) noexcept {
  std::array<char, 32> word{};
  std::array<char, 96> path{};
  std::snprintf(path.data(), path.size(), "%s/%s", folder, name);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.data(), "re"), &std::fclose);
  if (file != nullptr && std::fscanf(file.get(), "%31s", word.data()) != 1) word[0] = '\0';
  return word;
}

// "48K", "32M"; 0 where it is no number.
std::int64_t bytes_of(const char* text) noexcept {
  long number = 0;
  char unit = ' ';
  if (std::sscanf(text, "%9ld%c", &number, &unit) < 1 || number < 0) return 0;
  return std::int64_t{number} << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

// A container has a limit of its own, in either version of control groups; "max" or a huge number where not.
std::int64_t ask_memory(std::int64_t unknown) noexcept {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  std::int64_t bytes = pages > 0 ? pages * sysconf(_SC_PAGESIZE) : unknown;
  for (const char* name : {"memory.max", "memory/memory.limit_in_bytes"}) {
    long long limit = 0;
    if (std::sscanf(word_of("/sys/fs/cgroup", name).data(), "%18lld", &limit) == 1 && limit > 0)
      bytes = std::min<std::int64_t>(bytes, limit);
  }
  return bytes;
}

Machine ask() noexcept {
  Machine found;
  found.memory = ask_memory(found.memory);
  for (int index = 0; index < 8; ++index) {
    std::array<char, 64> folder{};
    std::snprintf(folder.data(), folder.size(), "/sys/devices/system/cpu/cpu0/cache/index%d", index);
    const std::int64_t bytes = bytes_of(word_of(folder.data(), "size").data());
    if (bytes <= 0 || std::strcmp(word_of(folder.data(), "type").data(), "Instruction") == 0) continue;
    const char level = word_of(folder.data(), "level")[0];
    if (level == '1') found.level1 = bytes;
    if (level == '2') found.level2 = bytes;
    if (level == '3') found.level3 = bytes;
  }
  return found;
}

std::atomic<const Machine*> pretended{nullptr};

}  // namespace

const Machine& machine() noexcept {
  if (const Machine* other = pretended.load(std::memory_order_acquire)) return *other;
  static const Machine found = ask();
  return found;
}

PretendMachine::PretendMachine(const Machine& other) noexcept : other_(other) {
  pretended.store(&other_, std::memory_order_release);
}
PretendMachine::~PretendMachine() { pretended.store(nullptr, std::memory_order_release); }

}  // namespace strew

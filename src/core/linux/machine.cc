// Reads machine numbers from a file, and cache sizes from /sys, since sysconf may add up the L3 of all sockets.
#include "core/machine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/linux/process_limits.h"
#include "strew/testing.h"

namespace strew {
namespace {

// Returns the first word of a small file; empty if there is none.
std::array<char, 32> read_word(const char* folder, const char* name) noexcept {
  std::array<char, 32> word{};
  std::array<char, 640> path{};
  std::snprintf(path.data(), path.size(), "%s/%s", folder, name);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.data(), "re"), &std::fclose);
  if (file != nullptr && std::fscanf(file.get(), "%31s", word.data()) != 1) word[0] = '\0';
  return word;
}

// Parses "48K" or "32M"; returns 0 if there is no number.
std::int64_t parse_bytes(const char* text) noexcept {
  long number = 0;
  char unit = ' ';
  if (std::sscanf(text, "%9ld%c", &number, &unit) < 1 || number < 0) return 0;
  return std::int64_t{number} << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

using Path = std::array<char, 512>;

// Returns the size of swap in bytes, from the line "SwapTotal:  1024 kB" of /proc/meminfo.
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
  const std::int64_t bytes = pages > 0 ? pages * sysconf(_SC_PAGESIZE) : found.memory_bytes;
  found.memory_bytes = bytes;
  if (pages > 0) found.max_memory_bytes = bytes + ask_swap();
  const std::int64_t limit = memory_of_groups({}, found.max_memory_bytes);
  found.memory_bytes = std::min(bytes, limit);
  if (pages > 0) found.max_memory_bytes = limit;
}

constexpr std::size_t kMostText = std::size_t{1} << 16;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Opens a regular file. Without O_NONBLOCK, opening a named pipe would wait for a writer.
File open_regular(const char* path) noexcept {
  const int opened = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found = {};
  if (opened >= 0 && ::fstat(opened, &found) == 0 && S_ISREG(found.st_mode)) {
    if (std::FILE* const file = ::fdopen(opened, "r")) return {file, &std::fclose};
  }
  if (opened >= 0) ::close(opened);
  return {nullptr, &std::fclose};
}

// Returns a file's text, at most kMostText + 1 bytes; nullopt if it cannot be read.
std::optional<std::string> text_of(const char* path) {
  const File file = open_regular(path);
  if (file == nullptr) return std::nullopt;
  std::string text(kMostText + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return std::ferror(file.get()) != 0 ? std::nullopt : std::optional(std::move(text));
}

// Returns the path of the user's machine file: STREW_MACHINE if it is set, or else a path in the configuration
// folder. Returns nullptr if STREW_MACHINE is empty, or if the environment names no folder.
const char* find_file(Path& composed) noexcept {
  const char* const named = std::getenv("STREW_MACHINE");
  if (named != nullptr) return *named == '\0' ? nullptr : named;
  const char* const folder = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  int length = 0;
  if (folder != nullptr && *folder != '\0') {
    length = std::snprintf(composed.data(), composed.size(), "%s/strew/machine.txt", folder);
  } else if (home != nullptr && *home != '\0') {
    length = std::snprintf(composed.data(), composed.size(), "%s/.config/strew/machine.txt", home);
  }
  return length > 0 && length < static_cast<int>(composed.size()) ? composed.data() : nullptr;
}

void read_measured(Machine& found) {
  Path composed{};
  const char* const path = find_file(composed);
  if (path == nullptr) return;
  const std::optional<std::string> text = text_of(path);
  const bool is_named = std::getenv("STREW_MACHINE") != nullptr;
  if (!text && !is_named) return;
  const Result<Machine> read = !text ? fail(ErrorCode::kIo, "it is not a readable regular file")
                               : text->size() > kMostText ? fail(ErrorCode::kIo, "it is larger than 64 KiB")
                                                          : read_machine(*text, processor_name(), found);
  if (read) {
    found = *read;
    return;
  }
  // Omits the path, which may contain the user's name: bug reports include this line.
  std::fprintf(stderr, "strew: %s is ignored: %s\n",
               is_named ? "the file in STREW_MACHINE" : "machine.txt in the user's configuration folder",
               read.error().message().c_str());
}

}  // namespace

std::string machine_file() {
  Path composed{};
  const char* const path = find_file(composed);
  return path == nullptr ? "" : path;
}

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
    const std::int64_t bytes = parse_bytes(read_word(folder.data(), "size").data());
    if (bytes <= 0 || std::strcmp(read_word(folder.data(), "type").data(), "Instruction") == 0) continue;
    const char level = read_word(folder.data(), "level")[0];
    if (level == '1') found.l1d_bytes = bytes;
    if (level == '2') found.l2_bytes = bytes;
    if (level == '3') found.l3_bytes = bytes;
  }
  try {
    ask_memory(found);
    read_measured(found);
  } catch (const std::exception&) {  // out of memory: keeps the values found so far
  }
  return found;
}

}  // namespace strew

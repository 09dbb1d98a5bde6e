// Records the functions that run between strew_walk_begin and strew_walk_end, in any thread of a program compiled
// with -finstrument-functions. Preload this library: the C library has empty functions of the same names.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>

namespace {

std::atomic<bool> recording = false;
std::array<std::atomic<void*>, std::size_t{1} << 16> functions;  // a hash table without removal

void record(void* function) {
  const auto hash =
      static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(function) * 0x9E3779B97F4A7C15u) >> 48);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::atomic<void*>& slot = functions[(hash + i) % functions.size()];
    void* found = slot.load(std::memory_order_relaxed);
    if (found == function) return;
    if (found == nullptr && slot.compare_exchange_strong(found, function)) return;
    if (found == function) return;
  }
}

}  // namespace

extern "C" {

void __cyg_profile_func_enter(void* function, void*) {
  if (recording.load(std::memory_order_relaxed)) record(function);
}
void __cyg_profile_func_exit(void*, void*) {}

void strew_walk_begin() {
  for (auto& slot : functions) slot = nullptr;
  recording = true;
}

/// Writes a line for each function: the file that contains it, and its offset there.
void strew_walk_end(const char* path) {
  recording = false;
  std::FILE* out = std::fopen(path, "w");
  if (out == nullptr) return;
  for (const auto& slot : functions) {
    Dl_info info;
    if (slot == nullptr || ::dladdr(slot, &info) == 0) continue;
    const auto offset =
        reinterpret_cast<std::uintptr_t>(slot.load()) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    std::fprintf(out, "%s %#zx\n", info.dli_fname, static_cast<std::size_t>(offset));
  }
  std::fclose(out);
}
}

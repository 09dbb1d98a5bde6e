// Reads the numbers of this machine once, and lets tests replace them.
#include "core/machine.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/size.h"

namespace strew {
namespace {

std::atomic<const Machine*> overriding{nullptr};

// Reads the machine's numbers and limits its memory to the address space.
Machine ask_within_addresses() noexcept {
  Machine found = ask_machine();
  found.max_memory_bytes =
      std::min<std::int64_t>(found.max_memory_bytes, std::numeric_limits<std::ptrdiff_t>::max());
  return found;
}

}  // namespace

const Machine& machine() noexcept {
  if (const Machine* other = overriding.load(std::memory_order_acquire)) return *other;
  static const Machine found = ask_within_addresses();
  return found;
}

std::int64_t most_bytes() noexcept { return machine().max_memory_bytes; }

ScopedMachine::ScopedMachine(const Machine& other) noexcept
    : other_(other), before_(overriding.exchange(&other_, std::memory_order_acq_rel)) {}
ScopedMachine::~ScopedMachine() { overriding.store(before_, std::memory_order_release); }

}  // namespace strew

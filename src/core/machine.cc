// Reads the machine numbers once, and lets tests replace them.
#include "core/machine.h"

#include <algorithm>
#include <cstddef>

#include "core/size.h"

namespace strew {
namespace {

// Reads the machine numbers and limits its memory to the address space.
Machine ask_within_addresses() noexcept {
  Machine found = ask_machine();
  found.max_memory_bytes =
      std::min<std::int64_t>(found.max_memory_bytes, std::numeric_limits<std::ptrdiff_t>::max());
  return found;
}

}  // namespace

std::atomic<const Machine*> detail::machine_in_use{nullptr};

const Machine& detail::read_machine() noexcept {
  static const Machine found = ask_within_addresses();
  const Machine* none = nullptr;
  return machine_in_use.compare_exchange_strong(none, &found) ? found : *none;
}

std::int64_t most_bytes() noexcept { return machine().max_memory_bytes; }

ScopedMachine::ScopedMachine(const Machine& other) noexcept
    : other_(other), before_(detail::machine_in_use.exchange(&other_)) {}
ScopedMachine::~ScopedMachine() { detail::machine_in_use.store(before_); }

}  // namespace strew

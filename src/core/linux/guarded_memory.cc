// The handler of SIGBUS and the list of what it guards, which it reads while other threads change it.
#include "core/guarded_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/linux/fork.h"

namespace strew {

// Slots are never freed, only used again. `version` is odd while a slot changes; that of memory being read
// does not change, so the handler may pass over the others.
struct GuardedMemory::Slot {
  std::atomic<std::uint32_t> version{1};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> lost{false};
  std::string name;
  Slot* next = nullptr;
  Slot* next_free = nullptr;
};

namespace {

using Slot = GuardedMemory::Slot;

std::atomic<Slot*> first_slot{nullptr};
std::atomic<bool> anything_lost{false};
constinit std::mutex slots_mutex;  // of all but what the handler does
static_assert(std::is_trivially_destructible_v<std::mutex>, "threads may still map files at exit");
Slot* free_slots = nullptr;

std::mutex& mutex_of_slots() noexcept { return slots_mutex; }
[[maybe_unused]] const int slots_held_over_fork = hold_over_fork<mutex_of_slots>();
std::uintptr_t page_bytes = 4096;

Slot* slot_of(std::uintptr_t address) noexcept {
  for (Slot* slot = first_slot.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    const std::uint32_t version = slot->version.load(std::memory_order_acquire);
    const std::uintptr_t begin = slot->begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot->end.load(std::memory_order_acquire);
    if (version % 2 == 0 && slot->version.load(std::memory_order_acquire) == version && begin <= address &&
        address < end) {
      return slot;
    }
  }
  return nullptr;
}

// Puts zeros where the file ends, from the page that failed to the end of the mapping; false where it is not one
// that is guarded.
bool put_zeros(const siginfo_t& info) noexcept {
  if (info.si_code <= 0) return false;  // sent by a process: there is no address
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  Slot* slot = slot_of(address);
  if (slot == nullptr) return false;
  auto* page = static_cast<std::byte*>(info.si_addr) - address % page_bytes;
  const std::uintptr_t lost = slot->end.load(std::memory_order_relaxed) - (address - address % page_bytes);
  void* zeros = ::mmap(page, lost, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (zeros == MAP_FAILED) return false;
  slot->lost.store(true, std::memory_order_release);
  anything_lost.store(true, std::memory_order_release);
  return true;
}

// What would have happened with the handler `before` instead of this one.
void pass_on(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;
  if ((before.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) ::signal(signal, SIG_DFL);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else if (before.sa_handler == SIG_DFL || !sent) {  // a failed access cannot be ignored
    ::signal(signal, SIG_DFL);                         // the same access fails again, now for good
    if (sent) ::raise(signal);
  }
}

// A handler that others set over ours remembers ours and may hand back to it, and ours is set again over theirs.
// So each time is a function of its own, which passes on to what it replaced: one alone would pass on to theirs
// for ever.
constexpr std::size_t kMaxHandlers = 8;
std::array<struct sigaction, kMaxHandlers> replaced;  // by each; written before it is set, and not again
std::size_t handler_count = 0;

template <std::size_t i>
void on_bus_error(int signal, siginfo_t* info, void* context) {
  if (!put_zeros(*info)) pass_on(replaced[i], signal, info, context);
}

template <std::size_t... i>
constexpr auto make_handlers(std::index_sequence<i...> /*numbers*/) noexcept {
  return std::array{&on_bus_error<i>...};
}
constexpr auto kHandlers = make_handlers(std::make_index_sequence<kMaxHandlers>());

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && std::ranges::count(kHandlers, action.sa_sigaction) != 0;
}

// Others may set a handler after the first file was mapped, so this is asked for each. After more of them than
// there are functions the newest stays: it hands back to ours or guards nothing.
void set_handler() noexcept {
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) != 0 || is_ours(now)) return;
  const auto same = [&now](const struct sigaction& one) {
    return one.sa_handler == now.sa_handler && one.sa_flags == now.sa_flags;
  };
  const auto* const end = replaced.begin() + handler_count;
  const auto i = static_cast<std::size_t>(std::find_if(replaced.cbegin(), end, same) - replaced.cbegin());
  if (i == kMaxHandlers) return;
  if (i == handler_count) replaced[handler_count++] = now;
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction ours {};
  ours.sa_sigaction = kHandlers[i];
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, nullptr);
}

Slot* take_slot() {
  if (free_slots != nullptr) return std::exchange(free_slots, free_slots->next_free);
  auto* slot = new Slot;
  slot->next = first_slot.load(std::memory_order_relaxed);
  first_slot.store(slot, std::memory_order_release);
  return slot;
}

}  // namespace

GuardedMemory::GuardedMemory(std::span<const std::byte> bytes, std::string name) : bytes_(bytes) {
  if (bytes.empty()) return;
  const std::lock_guard lock(slots_mutex);
  set_handler();
  slot_ = take_slot();
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  slot_->name = std::move(name);
  slot_->lost.store(false, std::memory_order_relaxed);
  slot_->begin.store(begin, std::memory_order_release);
  slot_->end.store(begin + bytes.size(), std::memory_order_release);
  slot_->version.fetch_add(1, std::memory_order_release);
}

GuardedMemory::~GuardedMemory() {
  if (slot_ == nullptr) return;
  const std::lock_guard lock(slots_mutex);
  slot_->version.fetch_add(1, std::memory_order_release);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  slot_->next_free = std::exchange(free_slots, slot_);
}

bool any_file_shrank() noexcept { return anything_lost.load(std::memory_order_acquire); }

Status check_intact(std::string_view op, std::string_view operand, const TensorView& view) {
  if (!any_file_shrank()) return {};
  const std::lock_guard lock(slots_mutex);
  const Slot* slot = slot_of(reinterpret_cast<std::uintptr_t>(view.data()));
  if (slot == nullptr || !slot->lost.load(std::memory_order_acquire)) return {};
  return fail(ErrorCode::kIo, {op, operand}, operand, " lies in the file '", slot->name,
              "', which became shorter while it was mapped; the output is not to be used");
}

}  // namespace strew

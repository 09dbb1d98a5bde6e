// Reads the machine numbers once, parses a machine file (lines of `name = number`, and one with the name of the
// processor), and lets tests replace the numbers.
#include "core/machine.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "core/error.h"
#include "core/size.h"
#include "strew/testing.h"

namespace strew {
namespace {

// Reads the machine numbers and limits the memory size to the address space.
Machine ask_within_addresses() noexcept {
  Machine found = ask_machine();
  found.max_memory_bytes =
      std::min<std::int64_t>(found.max_memory_bytes, std::numeric_limits<std::ptrdiff_t>::max());
  return found;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Status read_number(std::string_view name, std::string_view text, Machine& machine) {
  const auto number = std::ranges::find(kMachineFields, name, &MachineField::name);
  if (number == kMachineFields.end()) {
    return fail(ErrorCode::kInvalidArgument, "'", name, "' is not a machine number");
  }
  const std::int64_t least = number->unit == "bytes" ? kLeastCache : 1;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > kMostOfMachineField) {
    return fail(ErrorCode::kInvalidArgument, name, " is '", text, "'; it must be a whole number from ", least,
                " to ", kMostOfMachineField);
  }
  machine.*number->member = value;
  return {};
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

Result<Machine> read_machine(std::string_view text, std::string_view processor, Machine machine) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors write it at the start of UTF-8 files
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  bool named = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) {
      return fail(ErrorCode::kInvalidArgument, "'", one_line(line, 40),
                  "' is not a line of the form name = number");
    }
    const std::string_view name = trimmed(line.substr(0, sign));
    const std::string_view value = trimmed(line.substr(sign + 1));
    if (name != "processor") {
      STREW_TRY(read_number(name, value, machine));
      continue;
    }
    if (value != processor) {
      return fail(ErrorCode::kInvalidArgument, "it is for the processor '", one_line(value, 80), "', not for '",
                  processor, "'");
    }
    named = true;
  }
  if (!named) return fail(ErrorCode::kInvalidArgument, "it lacks the line processor = ", processor);
  return machine;
}

std::vector<MachineNumber> machine_numbers() {
  std::vector<MachineNumber> numbers;
  numbers.reserve(kMachineFields.size());
  const Machine usual;
  for (const MachineField& field : kMachineFields) {
    numbers.push_back({field.name, field.unit, field.meaning, usual.*field.member, machine().*field.member});
  }
  return numbers;
}

ScopedMachineNumbers::ScopedMachineNumbers(std::span<const std::int64_t> values) {
  Machine other = machine();
  for (std::size_t i = 0; i < std::min(values.size(), kMachineFields.size()); ++i) {
    other.*kMachineFields[i].member = values[i];
  }
  scope_ = std::make_unique<ScopedMachine>(other);
}
ScopedMachineNumbers::~ScopedMachineNumbers() = default;

}  // namespace strew

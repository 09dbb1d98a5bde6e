// The boundary between C and C++: passes errors to the caller, and reads and writes structs of any version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "strew/c.h"
#include "strew/executor.h"
#include "strew/run.h"
#include "strew/view.h"

struct strew_threads {
  std::unique_ptr<strew::Executor> executor;
};

namespace strew::c {

/// Returns the code of an error. Unless `to` is nullptr, sets `*to` to a copy that the caller frees.
int hand_over(const Error& error, strew_error** to) noexcept;

/// Runs `body`, the body of a C function, and converts its Status or exception to an error code.
template <class Body>
int enter(strew_error** error, const Body& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const Status done = body();
    return done ? STREW_OK : hand_over(done.error(), error);
  } catch (const std::bad_alloc&) {
    return hand_over(Error(ErrorCode::kOutOfMemory, "out of memory"), error);
  } catch (...) {  // such as an exception from the caller's `run` (strew_threads_from)
    return hand_over(Error(ErrorCode::kUnsupported, "an exception ended the call"), error);
  }
}

/// Rejects a caller's struct that is smaller than the struct of version 0.1.
template <class Struct>
Status check_size(std::string_view op, std::string_view operand, std::string_view type, const Struct& given) {
  constexpr std::size_t kLeast = sizeof(Struct);  // if the struct grows, write its size in version 0.1 here
  if (given.size >= kLeast) return {};
  return fail(ErrorCode::kInvalidArgument, {op, operand}, operand, " has the size ", given.size,
              "; set it to sizeof(", type, "), ", kLeast);
}

/// Reads a struct. Members beyond the size that the caller set become 0. `from` must not be nullptr.
template <class Struct>
Result<Struct> read_struct(std::string_view op, std::string_view operand, std::string_view type,
                           const Struct* from) {
  STREW_TRY(check_size(op, operand, type, *from));
  Struct known{};
  std::memcpy(&known, from, std::min(from->size, sizeof(Struct)));
  return known;
}

/// Writes up to the size that the caller set. Sets members unknown to this library to 0. `to` must not be nullptr.
template <class Struct>
Status write_struct(std::string_view op, std::string_view operand, std::string_view type, Struct value,
                    Struct* to) {
  STREW_TRY(check_size(op, operand, type, *to));
  value.size = to->size;
  std::memcpy(to, &value, std::min(to->size, sizeof(Struct)));
  if (to->size > sizeof(Struct)) std::memset(to + 1, 0, to->size - sizeof(Struct));
  return {};
}

Status need(std::string_view op, std::string_view operand, const void* argument);

/// Reads a view, whose data may be NULL.
Result<MutableTensorView> read_view(std::string_view op, std::string_view operand, const strew_view* view);
/// Returns nullopt for NULL.
Result<std::optional<TensorView>> read_optional_view(std::string_view op, std::string_view operand,
                                                     const strew_view* view);
/// Returns the enumerator with this name, or the first one for NULL.
template <class Enum, class Words>
Result<Enum> read_word(std::string_view op, std::string_view operand, const char* word, const Words& words) {
  if (word == nullptr) return Enum{};
  const auto found = std::find(words.begin(), words.end(), std::string_view(word));
  if (found == words.end()) {
    return fail(ErrorCode::kInvalidArgument, {op, operand, -1, std::string_view(word)}, operand, " '",
                std::string_view(word), "' is not known", did_you_mean(word, words));
  }
  return static_cast<Enum>(found - words.begin());
}
/// Returns attribute `at` of an array. The caller's structs may be larger than the library's.
Result<strew_attribute> read_attribute(std::string_view op, const strew_attribute* attributes, std::size_t at);
Result<Options> read_options(std::string_view op, const strew_options* options);

}  // namespace strew::c

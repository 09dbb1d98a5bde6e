// Common parts of run and op: threads, input files, timing, and the description of tensors.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console.h"
#include "strew/executor.h"
#include "strew/tensor.h"

namespace strew::app {

/// Options that `run` and `op` share.
struct SessionOptions {
  std::optional<int> threads;  ///< nullopt: all processors
  int repeat = 1;
  bool json = false;
  bool hash = false;
};

struct Threads {
  std::unique_ptr<Executor> pool;  ///< owns a pool made for this call
  Executor* executor = nullptr;
};
Result<Threads> make_threads(std::optional<int> count);

/// "NAME=FILE" or "NAME:TYPE=FILE", as given on the command line.
struct FileArgument {
  std::string name;
  std::optional<DType> dtype;
  std::string file;
};

/// Splits at the first '='. A ":TYPE" before it counts as a type only if TYPE is the name of an element type.
Result<FileArgument> parse_file_argument(const std::string& text, const std::string& option);

/// Returns the element type with this name, or an error with the option's name.
Result<DType> find_dtype(const std::string& name, const std::string& option);

/// A tensor in the printed result of a call: "y  float32 [3, 3]  36 B".
struct ShownTensor {
  std::string name;
  const Tensor* tensor;
  std::string file;  ///< input or output file; may be empty
};

/// Returns the size of the elements in bytes; for strings, the size of their characters.
std::int64_t content_bytes(const Tensor& tensor);

/// Returns the columns for a tensor: name, type and shape, size and, if `hash`, its hash.
std::vector<std::string> tensor_columns(const std::string& name, const Tensor& tensor, bool hash);

/// Returns {"name", "dtype", "shape", "bytes", "file", "hash", "values"}; the last three only if they apply.
Json tensor_json(const ShownTensor& shown, bool hash, bool values);

/// A value, and the median time of the calls in seconds.
template <class T>
struct Measured {
  T value;
  double seconds = 0;
};

double median(std::vector<double> values);

/// Bytes below which a call is mostly overhead, so that no rate is shown.
inline constexpr std::int64_t kLeastForRate = 1 << 20;

/// Calls `call`, which returns a Result<T>, `repeat` times and keeps only the last value.
template <class Call>
auto measure(int repeat, Call call) -> Result<Measured<typename decltype(call())::value_type>> {
  using Clock = std::chrono::steady_clock;
  decltype(call()) result;
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) {
    result = {};
    const auto start = Clock::now();
    result = call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (!result) return fail(std::move(result).error());
  }
  return Measured<typename decltype(call())::value_type>{std::move(*result), median(std::move(seconds))};
}

/// Adds the keys "threads", "repeat", "seconds", "bytes" and "gigabytes_per_second".
void add_speed_json(Json& object, const SessionOptions& options, int thread_count, std::int64_t bytes,
                    double seconds);

}  // namespace strew::app

// What run and op share: threads, input files, measuring, and the account of tensors.
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

/// Options that `run` and `op` both have.
struct SessionOptions {
  std::optional<int> threads;  ///< nothing: all processors
  int repeat = 1;
  bool json = false;
  bool hash = false;
};

/// Who runs the tasks.
struct Threads {
  std::unique_ptr<Executor> pool;  ///< where a pool was made for this
  Executor* executor = nullptr;
};
Result<Threads> make_threads(std::optional<int> count);

/// "NAME=FILE" or "NAME:TYPE=FILE", as given on the command line.
struct FileArgument {
  std::string name;
  std::optional<DType> dtype;
  std::string file;
};

/// Splits at the first '='. A ":TYPE" before it is a type only where TYPE is the name of one.
Result<FileArgument> parse_file_argument(const std::string& text, const std::string& option);

/// The element type of this name, or an error with the option's name.
Result<DType> find_dtype(const std::string& name, const std::string& option);

/// A tensor in the account of a call: "y  float32 [3, 3]  36 B".
struct ShownTensor {
  std::string name;
  const Tensor* tensor;
  std::string file;  ///< where it was read from or written to; may be empty
};

/// Bytes of the elements; for strings their characters.
std::int64_t content_bytes(const Tensor& tensor);

/// The columns that stand for a tensor: type and shape, size and, where asked for, hash.
std::vector<std::string> tensor_columns(const Tensor& tensor, bool hash);

/// {"name", "dtype", "shape", "bytes", "file", "hash", "values"}; the last three where they apply.
Json tensor_json(const ShownTensor& shown, bool hash, bool values);

/// A value and the median of the seconds that each of the calls took.
template <class T>
struct Measured {
  T value;
  double seconds = 0;
};

double median(std::vector<double> values);

/// A call that moves fewer bytes is all overhead: a rate says nothing of it.
inline constexpr std::int64_t kLeastForRate = 1 << 20;

/// Calls `call`, which gives a Result<T>, `repeat` times and keeps the last value. Only one is held at a time.
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

/// The keys "threads", "repeat", "seconds", "bytes" and "gigabytes_per_second" of an account.
void add_speed_json(Json& object, const SessionOptions& options, int thread_count, std::int64_t bytes,
                    double seconds);

}  // namespace strew::app

// The longer parts of docs/cpp.md: an executor on threads of your own, and results in memory of your own.
#include <strew/strew.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory_resource>
#include <thread>
#include <vector>

namespace {

void expect(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "own_parts: not true: " << what << '\n';
  std::exit(1);
}

std::atomic<std::int64_t> tasks_run = 0;

class ThreadsOfOneCall final : public strew::Executor {
 public:
  int thread_count() const noexcept override { return 4; }

  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override {
    std::atomic<std::int64_t> next = 0;
    const auto work = [&] {
      for (std::int64_t i = next++; i < task_count; i = next++) task(context, i);
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < thread_count(); ++i) others.emplace_back(work);
    work();
    tasks_run += task_count;
  }  // waits for the others
};

void own_threads(const strew::TensorView& data, const strew::TensorView& indices) {
  ThreadsOfOneCall executor;
  const auto rows = strew::gather(data, indices, {}, {.executor = &executor});
  const auto same = strew::gather(data, indices, {}, {.executor = &strew::serial_executor()});
  expect(rows && tasks_run > 1, "the work was divided");
  const auto given = rows->values<float>();
  expect(std::ranges::equal(given, same->values<float>()), "the same bits");
}

void own_memory(const strew::TensorView& table, const strew::TensorView& ids) {
  const auto plan = strew::make_gather_plan(table, ids);  // rank, types and shapes are legal from here on
  const strew::Shape& shape = plan->output_shape();
  const auto count = static_cast<std::size_t>(strew::element_count(shape));

  std::vector<float> kept(count);
  auto done = strew::run(*plan, {table, ids}, strew::MutableTensorView(kept, shape));
  expect(done.has_value(), "into a vector");

  std::pmr::monotonic_buffer_resource arena;
  std::pmr::vector<float> row(count, &arena);
  done = strew::run(*plan, {table, ids}, strew::MutableTensorView(row, shape));
  expect(done.has_value() && row[0] == kept[0], "into an arena");

  std::FILE* const file = std::tmpfile();
  expect(file != nullptr && ftruncate(fileno(file), static_cast<off_t>(count * sizeof(float))) == 0, "a file");
  void* const mapped = mmap(nullptr, count * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  expect(mapped != MAP_FAILED, "mapped");
  done = strew::run(*plan, {table, ids}, strew::MutableTensorView(mapped, strew::DType::kFloat32, shape));
  expect(done.has_value() && static_cast<float*>(mapped)[count - 1] == kept[count - 1], "into a mapped file");
  munmap(mapped, count * sizeof(float));
  std::fclose(file);
}

}  // namespace

int main() {
  const std::int64_t rows = 4096;
  std::vector<float> values(static_cast<std::size_t>(rows) * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  std::vector<std::int64_t> numbers(20000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i * 7919) % rows;
  const strew::TensorView table(values, {rows, 64});
  const strew::TensorView ids(numbers, {20000});
  own_threads(table, ids);
  own_memory(table, ids);
}

// The code of docs/cpp.md, in one program that checks what it gets.
#include <strew/strew.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

void expect(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "tour: not true: " << what << '\n';
  std::exit(1);
}

void views() {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::vector<std::uint16_t> halves(8 * 128);
  const std::int64_t n = 3;
  std::vector<std::int64_t> nodes{2, 0, 1};
  strew::TensorView a(values, {2, 3});
  strew::TensorView b(halves.data(), strew::DType::kFloat16, {8, 128});
  strew::TensorView c(values.data(), strew::DType::kFloat32, {3, 2}, {1, 3});
  strew::TensorView d(nodes.data(), strew::DType::kInt64, {n, 80}, {1, 0});

  std::vector<std::int64_t> row{2};
  const auto transposed = strew::gather(c, strew::TensorView(row, {1}));
  expect(transposed->values<float>()[0] == 3 && transposed->values<float>()[1] == 6, "row 2 of the transpose");
  expect(a.dense() && b.rank() == 2 && d.shape()[1] == 80, "shapes of views");
}

void report(const std::string& message) {
  expect(message == "gather: indices[1] = 9 is outside [-4, 3] for axis 0 of data with shape [4, 2]",
         "the message");
}

int errors(const strew::TensorView& table) {
  const std::vector<std::int64_t> wrong{0, 9};
  const strew::TensorView ids(wrong, {2});
  auto y = strew::gather(table, ids);
  if (!y) return report(y.error().message), 1;
  return 0;
}

void pictures(const strew::TensorView& table) {
  const std::vector<std::int64_t> wrong{0, 9};
  const strew::TensorView ids(wrong, {2});
  const auto plan = strew::make_gather_plan(table, ids);
  const std::string svg = strew::draw(strew::OpKind::kGather, plan, {table, ids}, {.title = "Gather-13"});
  expect(svg.find("indices[1] = 9 is outside") != std::string::npos, "the picture of a refused call");
}

void outside(const strew::TensorView& table) {
  const std::vector<std::int64_t> some{3, 9};
  const strew::TensorView ids(some, {2});
  const auto clipped = strew::gather(table, ids, {.rules = {strew::OutOfBounds::kClip}});
  const std::vector<float> missing{-1};
  const auto filled = strew::gather(
      table, ids, {.rules = {strew::OutOfBounds::kFill}, .fill_value = strew::TensorView(missing, {})});
  expect(clipped->values<float>()[2] == 7, "row 3 again");
  expect(filled->values<float>()[2] == -1, "not a row");
}

void reductions() {
  const std::vector<std::int64_t> numbers{3, 0, 3};
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<float> cached(8, 1.0f);
  const float one_half = 0.5f;
  const void* half = &one_half;
  const strew::TensorView cache(cached, {4, 2});
  const strew::TensorView slots(numbers, {3, 1});
  const strew::TensorView rows(values, {3, 2});
  const auto mean =
      strew::scatter_nd(cache, slots, rows, {.reduction = strew::Reduction::kMean, .include_self = false});
  const auto halved = strew::scatter_nd(
      cache, slots, rows,
      {.reduction = strew::Reduction::kAdd, .alpha = strew::TensorView(half, strew::DType::kFloat32, {})});
  expect(mean->values<float>()[6] == 3 && mean->values<float>()[2] == 1, "row 3 is a mean, row 1 as it was");
  expect(halved->values<float>()[0] == 2.5f, "half of an update was added");

  const float zero = 0;
  const strew::TensorView zeros(&zero, strew::DType::kFloat32, {4, 2}, {0, 0});
  const auto sums = strew::scatter_nd(zeros, slots, rows, {strew::Reduction::kAdd});
  expect(sums->values<float>()[6] == 6 && sums->values<float>()[2] == 0, "sums from zero");
}

void in_place(const strew::TensorView& table) {
  const std::vector<std::int64_t> numbers{3, 0};
  const strew::TensorView ids(numbers, {2});
  std::vector<float> memory(4);
  const strew::MutableTensorView output(memory, {2, 2});
  expect(strew::gather_into(output, table, ids).has_value(), "gather_into");

  std::vector<float> cached(8, 1.0f);
  const strew::MutableTensorView cache(cached, {4, 2});
  const strew::TensorView slots(numbers, {2, 1});
  const strew::TensorView rows(memory, {2, 2});
  expect(strew::scatter_nd_into(cache, cache, slots, rows).has_value(), "scatter_nd_into");
  expect(cached[6] == memory[0], "row 3 was written");

  const auto plan = strew::make_scatter_nd_plan(cache, slots, rows, {strew::Reduction::kAdd});
  for (int step = 0; step < 2; ++step) {
    expect(strew::run(*plan, {cache, slots, rows}, cache).has_value(), "run");
  }
  expect(cached[6] == 3 * memory[0], "two runs added twice");

  const auto checked = strew::check_indices(*plan, slots);
  expect(checked && strew::run(*plan, {cache, slots, rows}, cache, {.checked_indices = &*checked}), "run");
  expect(strew::run_dense(*plan, {cached.data(), numbers.data(), memory.data()}, cached.data()).has_value(),
         "dense");
  expect(cached[6] == 5 * memory[0], "and two more");
}

void threads(const strew::TensorView& data) {
  const std::vector<std::int64_t> numbers{1};
  const std::vector<float> row{5, 6};
  const strew::TensorView indices(numbers, {1, 1});
  const strew::TensorView updates(row, {1, 2});
  const auto y = strew::scatter_nd(data, indices, updates, {}, {.executor = &strew::serial_executor()});
  auto pool = strew::make_thread_pool(4);
  const auto z = strew::scatter_nd(data, indices, updates, {}, {.executor = pool->get()});
  expect(y->values<float>()[3] == 6 && z->values<float>()[3] == 6, "the same on any executor");
}

void memory() {
  strew::set_memory_cache_limit(std::int64_t{256} << 20);  // bytes; 0 keeps nothing
  strew::release_memory_cache();                           // all that is kept now
  expect(strew::memory_cache_bytes() == 0, "nothing is kept");
}

void models(const std::filesystem::path& path, const strew::TensorView& data) {
  const std::vector<std::int64_t> numbers{3, -4};
  const strew::TensorView indices(numbers, {2});
  const auto model = strew::Model::load(path);
  for (const auto& violation : model->check().violations) std::cerr << violation.error.message << '\n';
  const std::pair<std::string, strew::TensorView> inputs[] = {{"data", data}, {"indices", indices}};
  const auto outputs = model->run(inputs);
  expect(outputs && outputs->at(0).name == "rows" && outputs->at(0).tensor.values<float>()[0] == 7,
         "the model ran");
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  const strew::TensorView table(values, {4, 2});
  views();
  expect(errors(table) == 1, "an index out of range is refused");
  reductions();
  pictures(table);
  outside(table);
  in_place(table);
  threads(table);
  memory();
  if (argument_count > 1) models(arguments[1], table);  // examples/gather.onnx
}

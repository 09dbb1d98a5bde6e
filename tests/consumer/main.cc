// A user's program: calls on two threads and on its own executors, edges, an archive, a picture and an error.
#include <strew/model.h>
#include <strew/picture.h>
#include <strew/strew.h>
#include <strew/tensor_file.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "consumer: %s\n", what);
  return 1;
}

class LastFirst : public strew::Executor {
 public:
  int thread_count() const noexcept override { return 3; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override {
    tasks += task_count;
    while (task_count > 0) task(context, --task_count);
  }

  std::int64_t tasks = 0;
};

class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped by the consumer"; }
};

class Stopping : public LastFirst {
 public:
  void run(void (*)(void*, std::int64_t), void*, std::int64_t) override { throw Stopped(); }
};

}  // namespace

int main() {
  const std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int64_t> indices{4, 3, 1, 7};
  const std::vector<float> updates{9, 10, 11, 12};
  const std::vector<float> expected{1, 11, 3, 10, 9, 6, 7, 12};
  const strew::TensorView data_view{std::span(data), {8}};
  const strew::TensorView updates_view{std::span(updates), {4}};

  const auto threads = strew::make_thread_pool(2);
  if (!threads) return fail(threads.error().message().c_str());
  const auto output = strew::scatter_nd(data_view, strew::TensorView(std::span(indices), {4, 1}), updates_view, {},
                                        {.executor = threads->get()});
  if (!output) return fail(output.error().message().c_str());
  const auto values = output->values<float>();
  if (std::vector<float>(values.begin(), values.end()) != expected) return fail("wrong output of scatter_nd");

  const std::vector<float> table(1 << 20, 1.0f);
  const std::vector<std::int64_t> rows(1 << 10, 3);
  const strew::TensorView table_view{std::span(table), {1 << 10, 1 << 10}};
  const strew::TensorView rows_view{std::span(rows), {1 << 10}};
  LastFirst last_first;
  const auto gathered = strew::gather(table_view, rows_view, {}, {.executor = &last_first});
  if (!gathered || last_first.tasks < 2) return fail("an executor of the consumer's was not used");
  Stopping stopping;
  const auto stopped = strew::gather(table_view, rows_view, {}, {.executor = &stopping});
  if (stopped || stopped.error().message() != "gather: the executor failed: stopped by the consumer")
    return fail("what an executor threw did not become an error");

  const auto edges = strew::make_edges(strew::TensorView(std::span(indices), {4}),
                                       strew::TensorView(std::span(indices), {4}), 8, 8);
  if (!edges) return fail(edges.error().message().c_str());
  const auto sums = strew::gather_scatter(data_view, *edges);
  if (!sums || sums->values<float>()[4] != 5) return fail("wrong output of gather_scatter");

  const std::filesystem::path archive = "consumer.npz";
  const std::vector<std::pair<std::string, strew::TensorView>> arrays{{"output", output->view()}};
  if (const auto saved = strew::save_npz(archive, arrays); !saved) return fail(saved.error().message().c_str());
  const auto loaded = strew::load_npz(archive);
  if (!loaded || loaded->size() != 1 || loaded->front().name != "output")
    return fail("the archive reads otherwise");

  const auto plan = strew::make_gather_plan(table_view, rows_view);
  if (strew::draw(strew::OpKind::kGather, plan, {table_view, rows_view}).find("</svg>") == std::string::npos)
    return fail("the picture is none");

  const auto refused = strew::Model::load("there_is_no_such_model.onnx");
  if (refused || refused.error().code != strew::ErrorCode::kIo) return fail("a missing model was not refused");
  std::puts("consumer: all is well");
}

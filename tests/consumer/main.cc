// A program outside the project: one operator on two threads, one archive of arrays, one error.
#include <strew/strew.h>

#include <cstdint>
#include <cstdio>
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

}  // namespace

int main() {
  const std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int64_t> indices{4, 3, 1, 7};
  const std::vector<float> updates{9, 10, 11, 12};
  const std::vector<float> expected{1, 11, 3, 10, 9, 6, 7, 12};
  const strew::TensorView data_view{std::span(data), {8}};
  const strew::TensorView updates_view{std::span(updates), {4}};

  const auto threads = strew::make_thread_pool(2);
  if (!threads) return fail(threads.error().message.c_str());
  const auto output = strew::scatter_nd(data_view, strew::TensorView(std::span(indices), {4, 1}), updates_view, {},
                                        {.executor = threads->get()});
  if (!output) return fail(output.error().message.c_str());
  const auto values = output->values<float>();
  if (std::vector<float>(values.begin(), values.end()) != expected) return fail("wrong output of scatter_nd");

  const std::filesystem::path archive = "consumer.npz";
  const std::vector<std::pair<std::string, strew::TensorView>> arrays{{"output", output->view()}};
  if (const auto saved = strew::save_npz(archive, arrays); !saved) return fail(saved.error().message.c_str());
  const auto loaded = strew::load_npz(archive);
  if (!loaded || loaded->size() != 1 || loaded->front().name != "output")
    return fail("the archive reads otherwise");

  const auto refused = strew::Model::load("there_is_no_such_model.onnx");
  if (refused || refused.error().code != strew::ErrorCode::kIo) return fail("a missing model was not refused");
  std::puts("consumer: all is well");
}

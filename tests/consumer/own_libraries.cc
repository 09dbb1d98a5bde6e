// A program whose own functions have names of zlib, minizip and Highway. Strew must call none of these functions.
#include <strew/strew.h>
#include <strew/tensor_file.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

extern "C" {
int inflate(void*, int) { std::abort(); }
int deflate(void*, int) { std::abort(); }
unsigned long crc32(unsigned long, const unsigned char*, unsigned) { std::abort(); }
void* unzOpen2_64(const void*, void*) { std::abort(); }
void* zipOpen2_64(const void*, int, const char**, void*) { std::abort(); }
}

namespace hwy {
std::int64_t SupportedTargets() { std::abort(); }
struct ChosenTarget;
ChosenTarget& GetChosenTarget() { std::abort(); }
}  // namespace hwy

int main() {
  const std::vector<float> data(1000, 1.0f);
  const std::vector<std::int64_t> indices(1000, 7);
  const strew::TensorView view{std::span(data), {1000}};
  const auto sum = strew::scatter_nd(view, strew::TensorView(std::span(indices), {1000, 1}), view,
                                     {.reduction = strew::Reduction::kAdd});
  if (!sum || sum->values<float>()[7] != 1001) return std::puts("wrong sum"), 1;
  const std::vector<std::pair<std::string, strew::TensorView>> arrays{{"sum", sum->view()}};
  if (!strew::save_npz("own_libraries.npz", arrays)) return std::puts("not saved"), 1;
  const auto loaded = strew::load_npz("own_libraries.npz");
  if (!loaded || loaded->front().tensor.values<float>()[7] != 1001) return std::puts("not loaded"), 1;
  std::puts("own libraries: all is well");
}

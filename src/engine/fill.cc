// Filling.
#include "engine/fill.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/parallel.h"
#include "index/rules.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

constexpr std::int64_t kBlock = 256;

// One element to be written many times, as it lies in the output.
class Element {
 public:
  Element(DType stored, DType dtype, const std::optional<TensorView>& value) {
    if (value) {
      source_ = value->data();
    } else if (dtype == DType::kString) {
      source_ = &empty_;
    }
    if (stored == dtype) return;
    // Elements that share bytes move as whole bytes: each of a byte's elements is the value.
    const auto bits = static_cast<unsigned>(bit_width(dtype));
    const unsigned element = *static_cast<const std::uint8_t*>(source_) & ((1u << bits) - 1u);
    unsigned byte = 0;
    for (unsigned shift = 0; shift < 8; shift += bits) byte |= element << shift;
    zero_.front() = static_cast<std::byte>(byte);
    source_ = zero_.data();
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  const void* source() const noexcept { return source_; }

 private:
  alignas(16) std::array<std::byte, 16> zero_{};
  std::string empty_;
  const void* source_ = zero_.data();
};

}  // namespace

void fill_outside(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                  const std::optional<TensorView>& value, void* output, Executor& executor) {
  const Element element(geometry.dtype, dtype, value);
  const Kernel copy = copy_kernel(geometry.dtype);
  static constexpr std::array<std::int64_t, kBlock> kFirst{};  // the one element, again and again
  const auto fill_row = [&](std::int64_t begin) {
    std::array<std::int64_t, kBlock> places;
    for (std::int64_t done = 0; done < geometry.row; done += kBlock) {
      const std::int64_t count = std::min(geometry.row - done, kBlock);
      for (std::int64_t i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = begin + done + i;
      copy(output, element.source(), places.data(), kFirst.data(), count, 1);
    }
  };
  const std::int64_t positions = geometry.loop.count();
  const std::int64_t tasks = is_packed(geometry.dtype) ? 1 : usual_task_count(executor);
  parallel_for(executor, tasks, [&](std::int64_t task) {
    const Range part = part_of(positions, tasks, task);
    if (part.begin >= part.end) return;
    LoopWalk<3> walk(geometry.loop, part.begin);
    std::array<std::int64_t, kBlock> offsets;
    for (std::int64_t left = part.end - part.begin; left > 0;) {
      const std::int64_t count = std::min({walk.run(), left, kBlock});
      resolver.resolve(walk.offset()[kIndex], geometry.loop.inner_stride(kIndex), count, offsets.data());
      for (std::int64_t i = 0; i < count; ++i) {
        if (offsets[static_cast<std::size_t>(i)] != kNowhere) continue;
        fill_row(walk.offset()[kPosition] + i * geometry.loop.inner_stride(kPosition));
      }
      walk.advance(count);
      left -= count;
    }
  });
}

}  // namespace strew

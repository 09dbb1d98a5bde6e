// Updates private copies. If the order of updates does not matter, each task has a copy. Otherwise one task
// updates a copy of data and checks index values meanwhile. The copy is written to the output if all values pass.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/parallel.h"
#include "core/scratch.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/strategy/strategies.h"
#include "kernel/stream.h"

namespace strew {
namespace {

// Returns the offsets that any index value could address, if they form consecutive rows; else an empty range. Does
// not use the checked bounds, since another thread may change index values during the call.
Range rows_addressed(const Geometry& geometry) noexcept {
  if (geometry.components.size() != 1 || geometry.components.front().stride != geometry.row) return {0, 0};
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    if (geometry.loop.stride[geometry.loop.at(axis)][kData] != 0) return {0, 0};
  }
  return {0, geometry.components.front().extent * geometry.row};
}

// The verdict on one copy for each task; std::nullopt if the call does not allow such copies.
std::optional<Verdict> copies_for_each_task(const ChooseInput& input, const CallCost& whole) {
  const CallCost call = whole.per_task(whole.max_tasks);
  const Geometry& geometry = input.geometry;
  const std::int64_t tasks = input.task_count;
  const Range reached = rows_addressed(geometry);
  if (tasks == 1 || !input.any_order || reached.end == 0 || geometry.loop.count() < tasks) return std::nullopt;
  const std::int64_t bytes = whole_lines(reached.end * element_bytes(geometry));
  if (bytes > kMaxInScratch / tasks || geometry.loop.count() > kMaxInScratch / geometry.row) return std::nullopt;
  Choice choice{{StrategyKind::kPrivateCopy, tasks, {}}};
  choice.owned = reached;
  choice.copies = input.idempotent ? Copies::kData : Copies::kZeros;
  choice.scratch_bytes = bytes * tasks;
  // Each task fills its copy, and then reads its part of all copies, most of which other tasks wrote.
  const auto all = static_cast<double>(choice.scratch_bytes);
  const Cost copies = CallCost::divide(2 * call.sequential_ns(all), call.bandwidth_limited_tasks());
  const Cost taken = CallCost::divide(call.cache_transfer_ns(all) * (1 - 1 / call.max_tasks), call.max_tasks);
  return Verdict{choice,
                 CallCost::divide(call.serial_walk_ns(), call.max_tasks) + copies + taken + call.start_threads(2),
                 "the order of updates does not matter: each task has a copy"};
}

void run_copies(const Work& work, const Choice& choice, Executor& executor) {
  const std::int64_t tasks = choice.strategy.task_count;
  const std::int64_t width = element_bytes(work.geometry);
  const std::int64_t count = choice.owned.end;
  const std::int64_t bytes = whole_lines(count * width);
  auto* target = static_cast<std::byte*>(work.target);
  parallel_for(executor, tasks, [&](std::int64_t i) {
    std::byte* const copy = work.scratch + i * bytes;
    if (choice.copies == Copies::kZeros) {
      std::memset(copy, 0, static_cast<std::size_t>(count * width));
    } else {
      std::memcpy(copy, target, static_cast<std::size_t>(count * width));
    }
    Work here = work;
    here.target = copy;
    run_positions(here, part_of(work.geometry.loop.count(), tasks, i));
  });
  parallel_for(executor, tasks, [&](std::int64_t i) {
    const Range part = part_of(count, tasks, i);
    const std::int64_t first = 0;
    for (std::int64_t copy = 0; copy < tasks && part.begin < part.end; ++copy) {
      work.kernel(target + part.begin * width, work.scratch + copy * bytes + part.begin * width, &first, &first, 1,
                  part.end - part.begin);
    }
  });
}

}  // namespace

Verdict consider_private_copy(const ChooseInput& input, const CallCost& call) {
  if (const std::optional<Verdict> copies = copies_for_each_task(input, call)) return *copies;
  if (input.copied == 0) return Verdict::never("no dense data are copied to a dense output");
  if (!moves_bytes(input.geometry)) return Verdict::never("elements are not whole bytes");
  Choice choice{{StrategyKind::kPrivateCopy, 1, {}}};
  choice.copies_data = true;
  choice.scratch_bytes = whole_lines(input.copied * (bit_width(input.geometry.dtype) / 8));
  const double work = 2 * call.data_copy_ns() + call.serial_walk_ns();
  return {choice, {work, work}, "one task updates a copy of data: index values are read once"};
}

void run_private_copy(const Work& work, const Choice& choice, Executor& executor) {
  if (choice.copies != Copies::kOne) return run_copies(work, choice, executor);
  const auto bytes = static_cast<std::size_t>(work.copied_count * (bit_width(work.geometry.dtype) / 8));
  work.copied->take({0, work.copied_count}, work.scratch);
  Work here = work;
  here.target = work.scratch;
  run_all(here);
  if (!work.resolver.any_out_of_bounds()) std::memcpy(work.target, work.scratch, bytes);
}

}  // namespace strew

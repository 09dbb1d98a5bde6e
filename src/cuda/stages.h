// Enqueues the stages of a call, and stores what its ticket needs to report errors after the operands are freed.
#pragma once

#include <memory>

#include "cuda/prepare.h"
#include "cuda/queue.h"
#include "engine/geometry/geometry.h"
#include "strew/experimental/cuda.h"
#include "strew/run.h"

namespace strew::cuda {

class Stages {
 public:
  /// `buffers`: all buffers of the call, including kept ones.
  Stages(const Prepared& prepared, const DeviceOptions& options, Queue& queue, const Buffers& buffers);

  /// Enqueues the stages that depend only on index values: location numbers, winners, sorted positions.
  void know_indices();
  void run();

 private:
  bool packed() const { return is_packed(layout_.geometry.dtype); }
  std::int64_t width() const { return bit_width(layout_.geometry.dtype) / 8; }
  void check();
  void find_winners();
  void sort();
  Runs runs() const;
  Move gather_move() const;
  void gather();
  void gather_while_checking();
  void scatter();
  PackedMove packed_move(bool wins) const;
  void copy_data();
  void move_winners();
  Reduce reduce() const;
  void walk_columns();
  void fold();

  const Prepared& prepared_;
  const Call& call_;
  const Layout& layout_;
  const DeviceOptions& options_;
  Queue& queue_;
  const Buffers& buffers_;
  Positions at_;
};

struct Ticket::Call {
  Plan plan;
  std::optional<TensorView> indices;  ///< for its type, shape and strides; its memory may be freed
  Geometry geometry;
  std::unique_ptr<Receipt> receipt;
};

struct TicketMaker {
  static Ticket make(std::unique_ptr<Receipt> receipt, const Plan& plan, const strew::Operands& operands,
                     const Geometry& geometry);
};

}  // namespace strew::cuda

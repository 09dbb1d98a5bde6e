// What a call puts into the stream, one stage after the other.
#pragma once

#include "cuda/prepare.h"

namespace strew::cuda {

class Stages {
 public:
  /// `buffers` are all that the call takes, those that were kept included.
  Stages(const Prepared& prepared, const DeviceOptions& options, Queue& queue, const Buffers& buffers);

  /// What comes of index values alone: numbers of destinations, who wins them, positions sorted by them.
  void know_indices();
  /// All of the call.
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

}  // namespace strew::cuda

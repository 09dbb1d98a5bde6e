// Data from which a ticket makes an error, even if the operands no longer exist.
#pragma once

#include <memory>

#include "cuda/queue.h"
#include "engine/geometry/geometry.h"
#include "strew/experimental/cuda.h"
#include "strew/run.h"

namespace strew::cuda {

struct Ticket::Call {
  Plan plan;
  std::optional<TensorView> indices;  ///< type, shape and strides; must not be read
  Geometry geometry;
  std::unique_ptr<Receipt> receipt;
};

struct TicketMaker {
  static Ticket make(std::unique_ptr<Receipt> receipt, const Plan& plan, const strew::Operands& operands,
                     const Geometry& geometry);
};

}  // namespace strew::cuda

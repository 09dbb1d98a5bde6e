// The table of replaced kernels of aten.
#include <ATen/ops/_embedding_bag_dense_backward_cpu_dispatch.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_index_put_impl_cpu_dispatch.h>
#include <ATen/ops/_sparse_mm_reduce_impl_backward_native.h>
#include <ATen/ops/_sparse_mm_reduce_impl_native.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/embedding_dense_backward_cpu_dispatch.h>
#include <ATen/ops/gather_cpu_dispatch.h>
#include <ATen/ops/index_add_cpu_dispatch.h>
#include <ATen/ops/index_copy_cpu_dispatch.h>
#include <ATen/ops/index_cpu_dispatch.h>
#include <ATen/ops/index_fill_cpu_dispatch.h>
#include <ATen/ops/index_reduce_cpu_dispatch.h>
#include <ATen/ops/index_select_cpu_dispatch.h>
#include <ATen/ops/mm_native.h>
#include <ATen/ops/put_cpu_dispatch.h>
#include <ATen/ops/scatter_add_cpu_dispatch.h>
#include <ATen/ops/scatter_cpu_dispatch.h>
#include <ATen/ops/scatter_reduce_cpu_dispatch.h>
#include <ATen/ops/take_cpu_dispatch.h>

#include <array>
#include <string_view>

#include "kernel.h"
#include "operators.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

using at::Scalar;
using std::int64_t;
using std::string_view;

Outcome index_add(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                  const Scalar& alpha) {
  // For an alpha other than 1 and -1, torch multiplies and adds with one rounding. For complex numbers, an alpha
  // of -1 turns infinite parts into NaN.
  const bool negative = alpha.equal(-1) && self.scalar_type() != at::kBool && !self.is_complex();
  if (!negative && !alpha.equal(1)) return Outcome::kAlpha;
  // torch forwards calls along the first or last axis to scatter_add.
  const bool outer = self.dim() > 1 && (dim == 0 || dim == -self.dim() || dim == -1 || dim == self.dim() - 1);
  const bool wide = outer && !negative && index.scalar_type() == at::kLong;
  return scatter_rows(output, self, dim, index, source, negative ? Reduction::kSub : Reduction::kAdd,
                      {.bounds = kIndexAddBounds, .wide = wide});
}

Outcome index_copy(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  return scatter_rows(output, self, dim, index, source, Reduction::kNone,
                      {.bounds = kIndexCopyBounds, .only_long = true});
}

/// Rejects reductions for which Strew's bits differ from torch's. With include_self=False, torch starts sums at 0,
/// so that a sum of -0 is +0. It rounds means of float16 and bfloat16 twice, and products of complex numbers once
/// instead of twice.
Outcome reducible(Reduction reduction, const Tensor& self, bool include_self) {
  const bool mean = reduction == Reduction::kMean;
  if (!include_self && (mean || reduction == Reduction::kAdd)) return Outcome::kIncludeSelf;
  const bool real = self.scalar_type() == at::kFloat || self.scalar_type() == at::kDouble;
  const bool same = mean ? real : reduction != Reduction::kMul || !self.is_complex();
  return same ? Outcome::kTaken : Outcome::kDType;
}

Outcome index_reduce(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                     string_view reduce, bool include_self) {
  const auto reduction = parse_reduction(reduce);
  if (!reduction || reduction == Reduction::kAdd) return Outcome::kReduction;
  if (self.is_complex() || self.scalar_type() == at::kBool) return Outcome::kDType;
  if (const Outcome seen = reducible(*reduction, self, include_self); seen != Outcome::kTaken) return seen;
  return scatter_rows(output, self, dim, index, source, *reduction,
                      {.bounds = kIndexReduceBounds, .include_self = include_self});
}

constexpr ScatterRules kFillRules{.bounds = kIndexFillBounds, .only_long = true, .from_end = true};

Outcome index_fill(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return scatter_rows(output, self, dim, index, value, Reduction::kNone, kFillRules);
}

Outcome index_fill_tensor(Output& output, const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& value) {
  return scatter_rows(output, self, dim, index, Source::one(value), Reduction::kNone, kFillRules);
}

/// Scatters a tensor, or a Scalar.
template <class Src>
Outcome scatter(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Src& src) {
  return scatter_elements(output, self, dim, index, src, Reduction::kNone, {.bounds = kScatterBounds});
}

Outcome scatter_add(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_elements(output, self, dim, index, src, Reduction::kAdd,
                          {.bounds = kScatterBounds, .wide = true});
}

template <class Src>
Outcome scatter_with(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Src& src,
                     string_view reduce) {
  if (reduce != "add" && reduce != "multiply") return Outcome::kReduction;
  const Reduction reduction = reduce == "add" ? Reduction::kAdd : Reduction::kMul;
  if (const Outcome seen = reducible(reduction, self, true); seen != Outcome::kTaken) return seen;
  return scatter_elements(output, self, dim, index, src, reduction, {.bounds = kScatterBounds, .wide = true});
}

Outcome scatter_reduce(Output& output, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                       string_view reduce, bool include_self) {
  const auto reduction = parse_reduction(reduce);
  if (!reduction) return Outcome::kReduction;
  if (const Outcome seen = reducible(*reduction, self, include_self); seen != Outcome::kTaken) return seen;
  return scatter_elements(
      output, self, dim, index, src, *reduction,
      {.bounds = include_self ? kScatterBounds : kScatterResetBounds, .include_self = include_self, .wide = true});
}

// Selects an overload by its parameter types.
template <class... Args>
struct Of {
  using New = Tensor (*)(const Tensor&, Args...);
  using InPlace = Tensor& (*)(Tensor&, Args...);
  using Out = Tensor& (*)(Tensor&, const Tensor&, Args...);
};
using OfSrc = Of<int64_t, const Tensor&, const Tensor&>;
using OfValue = Of<int64_t, const Tensor&, const Scalar&>;
using OfSrcReduce = Of<int64_t, const Tensor&, const Tensor&, string_view>;
using OfValueReduce = Of<int64_t, const Tensor&, const Scalar&, string_view>;

namespace cpu = at::cpu;
namespace native = at::native;
using ::torch::Library;
constexpr auto kSparseCsr = c10::DispatchKey::SparseCsrCPU;

constexpr std::array kGroups = std::to_array<Group>({
    {"embedding_bag",
     "maxima with at least 1,024 elements (indices times columns), means with 8 million, sums with 128 million; "
     "without weights or `padding_idx`",
     [](Library& to) {
       put<"_embedding_bag", embedding_bag<true>, native::_embedding_bag_cpu>(to);
       put<"_embedding_bag_forward_only", embedding_bag<false>, native::_embedding_bag_forward_only_cpu>(to);
     }},
    {"embedding_bag_dense_backward",
     "sums, and means of float32 and float64; both without weights and for at least 32,768 indices",
     [](Library& to) {
       put<"_embedding_bag_dense_backward", embedding_bag_dense_backward, cpu::_embedding_bag_dense_backward>(to);
     }},
    {"embedding_bag_weighted", "only if named: lets `embedding_bag` handle `per_sample_weights`",
     [](Library&) { settings.weighted_bags = true; }, false},
    {"embedding_dense_backward", "all calls without `scale_grad_by_freq`, even with strided indices or gradients",
     [](Library& to) {
       put<"embedding_dense_backward", embedding_dense_backward, cpu::embedding_dense_backward>(to);
     }},
    {"gather",
     "calls whose index is expanded along the trailing axes (stride 0), as in graph libraries; single elements, "
     "except along the last of several axes",
     [](Library& to) {
       put<"gather", gather_elements, cpu::gather>(to);
       put<"gather.out", gather_elements, cpu::gather_out>(to);
     }},
    {"index", "`x[i]`, `x[i, j]`, `x[mask]`: indices of adjacent axes",
     [](Library& to) {
       put<"index.Tensor", index, cpu::index>(to);
       put<"index.Tensor_out", index, cpu::index_out>(to);
     }},
    {"index_add", "rows, with an `alpha` of 1 or -1",
     [](Library& to) {
       put<"index_add", index_add, cpu::index_add>(to);
       put<"index_add_", index_add, cpu::index_add_>(to);
       put<"index_add.out", index_add, cpu::index_add_out>(to);
     }},
    {"index_copy", "rows",
     [](Library& to) {
       put<"index_copy", index_copy, cpu::index_copy>(to);
       put<"index_copy_", index_copy, cpu::index_copy_>(to);
       put<"index_copy.out", index_copy, cpu::index_copy_out>(to);
     }},
    {"index_fill", "rows",
     [](Library& to) {
       put<"index_fill_.int_Scalar", index_fill, OfValue::InPlace(cpu::index_fill_)>(to);
       put<"index_fill_.int_Tensor", index_fill_tensor, OfSrc::InPlace(cpu::index_fill_)>(to);
     }},
    {"index_put", "`x[i] = y`, `x[i, j] = y`, `x[mask] = y`: indices of adjacent axes",
     [](Library& to) { put<"_index_put_impl_", index_put, cpu::_index_put_impl_>(to); }},
    {"index_reduce", "rows and single elements",
     [](Library& to) {
       put<"index_reduce", index_reduce, cpu::index_reduce>(to);
       put<"index_reduce_", index_reduce, cpu::index_reduce_>(to);
       put<"index_reduce.out", index_reduce, cpu::index_reduce_out>(to);
     }},
    {"index_select",
     "rows of fewer than 32 elements, and longer rows with at least 4 million elements in total; `embedding` "
     "likewise",
     [](Library& to) {
       put<"index_select", index_select, cpu::index_select>(to);
       put<"index_select.out", index_select, cpu::index_select_out>(to);
     }},
    {"put", "rows and single elements", [](Library& to) { put<"put_", put_elements, cpu::put_>(to); }},
    {"scatter", "calls whose index is expanded along the trailing axes",
     [](Library& to) {
       put<"scatter.src", scatter<Tensor>, OfSrc::New(cpu::scatter)>(to);
       put<"scatter_.src", scatter<Tensor>, OfSrc::InPlace(cpu::scatter_)>(to);
       put<"scatter.src_out", scatter<Tensor>, OfSrc::Out(cpu::scatter_out)>(to);
       put<"scatter.value", scatter<Scalar>, OfValue::New(cpu::scatter)>(to);
       put<"scatter_.value", scatter<Scalar>, OfValue::InPlace(cpu::scatter_)>(to);
       put<"scatter.value_out", scatter<Scalar>, OfValue::Out(cpu::scatter_out)>(to);
       put<"scatter.reduce", scatter_with<Tensor>, OfSrcReduce::New(cpu::scatter)>(to);
       put<"scatter_.reduce", scatter_with<Tensor>, OfSrcReduce::InPlace(cpu::scatter_)>(to);
       put<"scatter.reduce_out", scatter_with<Tensor>, OfSrcReduce::Out(cpu::scatter_out)>(to);
       put<"scatter.value_reduce", scatter_with<Scalar>, OfValueReduce::New(cpu::scatter)>(to);
       put<"scatter_.value_reduce", scatter_with<Scalar>, OfValueReduce::InPlace(cpu::scatter_)>(to);
       put<"scatter.value_reduce_out", scatter_with<Scalar>, OfValueReduce::Out(cpu::scatter_out)>(to);
     }},
    {"scatter_add", "calls whose index is expanded along the trailing axes",
     [](Library& to) {
       put<"scatter_add", scatter_add, cpu::scatter_add>(to);
       put<"scatter_add_", scatter_add, cpu::scatter_add_>(to);
       put<"scatter_add.out", scatter_add, cpu::scatter_add_out>(to);
     }},
    {"scatter_reduce",
     "calls whose index is expanded along the trailing axes; maxima, minima and products of single elements with "
     "`include_self=False`",
     [](Library& to) {
       put<"scatter_reduce.two", scatter_reduce, cpu::scatter_reduce>(to);
       put<"scatter_reduce_.two", scatter_reduce, cpu::scatter_reduce_>(to);
       put<"scatter_reduce.two_out", scatter_reduce, cpu::scatter_reduce_out>(to);
     }},
    {"sparse_mm", "only if named: a CSR or CSC matrix times a dense matrix, in `mm`, `addmm`, `torch.sparse.mm`",
     [](Library& to) {
       put<"mm", sparse_mm, native::_sparse_csr_mm, kSparseCsr>(to);
       put<"addmm", sparse_addmm, native::addmm_sparse_compressed_dense, kSparseCsr>(to);
     },
     false},
    {"sparse_mm_reduce",
     "`torch.sparse.mm` of a CSR matrix, with `reduce`: maxima and minima; sums and means if all values of the "
     "matrix are 1",
     [](Library& to) {
       put<"_sparse_mm_reduce_impl", sparse_mm_reduce, native::_sparse_mm_reduce_impl_sparse_csr_cpu, kSparseCsr>(
           to);
       put<"_sparse_mm_reduce_impl_backward", sparse_mm_reduce_backward,
           native::_sparse_mm_reduce_impl_backward_sparse_csr_cpu, kSparseCsr>(to);
     }},
    {"sparse_mm_reduce_weighted",
     "only if named: lets `sparse_mm_reduce` handle sums and means for a matrix with values other than 1",
     [](Library&) { settings.weighted_reduce = true; }, false},
    {"take", "rows and single elements",
     [](Library& to) {
       put<"take", take, cpu::take>(to);
       put<"take.out", take, cpu::take_out>(to);
     }},
});

}  // namespace

std::span<const Group> kernel_groups() noexcept { return kGroups; }

}  // namespace strew::aten

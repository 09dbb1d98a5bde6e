// Compares random calls of every operator on the emulated device with the library: bits and error messages.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/strided_copy.h"
#include "core/view_check.h"
#include "cuda/choose.h"
#include "cuda/host_device.h"
#include "engine/random_problem.h"
#include "strew/experimental/cuda.h"
#include "support/compare.h"
#include "support/strided_tensor.h"

namespace strew::support {
namespace {

constexpr std::uint64_t kSeed = 20261122;
constexpr std::int64_t kDefaultCases = 100'000;

std::int64_t cases_per_operator() {
  const char* wanted = std::getenv("STREW_CUDA_CASES");
  return (wanted != nullptr ? std::atoll(wanted) : kDefaultCases) / static_cast<std::int64_t>(kOperators.size());
}

// Owns a copy of the bytes from the first to the last element of a view, at an address that a device can read.
// Copies of the object are deep.
class DeviceTensor {
 public:
  // The copy begins `shift` bytes after an address that is a multiple of 16.
  explicit DeviceTensor(const TensorView& view, std::int64_t shift = 0)
      : dtype_(view.dtype()),
        shape_(view.shape()),
        strides_(view.strides()),
        dense_(view.dense()),
        shift_(shift),
        block_(static_cast<std::int64_t>(byte_range(view).end - byte_range(view).begin) + shift) {
    const ByteRange range = byte_range(view);
    if (range.begin == range.end) return;
    first_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data()) - range.begin);
    std::memcpy(block_.at + shift_, static_cast<const std::byte*>(view.data()) - first_, range.end - range.begin);
  }

  cuda::DeviceView device() const { return const_cast<DeviceTensor*>(this)->mutable_device(); }
  cuda::MutableDeviceView mutable_device() {
    void* data = block_.at + shift_ + first_;
    return dense_ ? cuda::MutableDeviceView(data, dtype_, shape_)
                  : cuda::MutableDeviceView(data, dtype_, shape_, strides_);
  }
  // Returns a view for the library on the host.
  TensorView host() const { return const_cast<DeviceTensor*>(this)->mutable_host(); }
  MutableTensorView mutable_host() {
    void* data = block_.at + shift_ + first_;
    return dense_ ? MutableTensorView(data, dtype_, shape_) : MutableTensorView(data, dtype_, shape_, strides_);
  }
  void overwrite(std::byte value) { std::fill_n(block_.at, block_.size, value); }
  // Compares all bytes, except bits of the last byte that belong to no element.
  bool same_bytes(const DeviceTensor& other) const {
    if (block_.size != other.block_.size) return false;
    const std::int64_t used = element_count(shape_) * bit_width(dtype_) % 8;
    const std::int64_t whole = is_packed(dtype_) && used != 0 ? block_.size - 1 : block_.size;
    if (!std::equal(block_.at, block_.at + whole, other.block_.at)) return false;
    if (whole == block_.size) return true;
    const std::byte mask{static_cast<unsigned char>((1u << used) - 1u)};
    return (block_.at[whole] & mask) == (other.block_.at[whole] & mask);
  }

 private:
  DType dtype_;
  Shape shape_;
  Shape strides_;
  bool dense_;
  std::int64_t first_ = 0;  // offset in bytes of the element at coordinate 0
  std::int64_t shift_;
  struct Block {
    explicit Block(std::int64_t bytes)
        : at(static_cast<std::byte*>(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{16}))),
          size(bytes) {
      std::fill_n(at, size, std::byte{0xA5});
    }
    Block(const Block& other) : Block(other.size) { std::copy_n(other.at, size, at); }
    Block& operator=(const Block&) = delete;
    ~Block() { ::operator delete (at, std::align_val_t{16}); }
    std::byte* at;
    std::int64_t size;
  } block_;
};

// How a call is made on the device.
struct Way {
  bool in_place = false;
  cuda::ScopedThresholds::Values as;
  bool own_workspace = false;
  bool reject_duplicates = false;
  bool output_is_new = false;
  bool keeps = false;     // call check_indices first, and overwrite the indices before the run
  bool captures = false;  // capture the call into a graph, and launch the graph
  std::optional<cuda::DeviceStrategy> force;
  cuda::HostDevice device;
};

bool walks(const Problem& problem) {
  return problem.call.include_self && problem.call.acc_dtype == AccDType::kData &&
         problem.call.reduction != Reduction::kMean;
}

Way random_way(Random& random, const Problem& problem, bool real_threads) {
  Way way;
  way.in_place = is_scatter(problem.call.op) && problem.data_distinct && random.one_in(2);
  way.as.large = random.one_in(4);
  if (random.one_in(2)) way.as = {way.as.large, random.between(2, 20), random.between(1, 9)};
  way.own_workspace = random.one_in(3);
  way.reject_duplicates = random.one_in(8);
  way.output_is_new = !is_scatter(problem.call.op) && random.one_in(2);
  way.keeps = problem.indices && random.one_in(4);
  way.captures = random.one_in(6);
  if (problem.call.reduction != Reduction::kNone && random.one_in(2)) {
    way.force =
        random.one_in(2) && walks(problem) ? cuda::DeviceStrategy::kColumns : cuda::DeviceStrategy::kSortFold;
  }
  way.device.seed = random.one_in(8) ? 0 : random.bits() | 1;
  way.device.most_blocks = random.between(1, 4);
  way.device.real_threads = real_threads;
  return way;
}

std::int64_t random_shift(Random& random, DType dtype) {
  const int parts = dtype == DType::kComplex64 || dtype == DType::kComplex128 ? 2 : 1;
  const std::int64_t bytes = std::max(bit_width(dtype) / 8 / parts, 1);
  return random.one_in(2) ? 0 : random.below(16 / bytes) * bytes;
}

// Operands in memory that a device can read, an output of the library and an output of the device.
struct Both {
  DeviceTensor data;
  std::optional<DeviceTensor> indices;
  std::optional<DeviceTensor> updates;
  DeviceTensor expected;
  DeviceTensor output;
};

Both make_both(Random& random, const Problem& problem, const Plan& plan, const Way& way) {
  const auto place = [&](const StridedTensor& tensor) {
    return DeviceTensor(tensor.view(), random_shift(random, tensor.view().dtype()));
  };
  const DeviceTensor data = place(problem.data);
  const auto make_output = [&] {
    const Shape shape = plan.output_shape();
    return place(
        StridedTensor(plan.dtype(), shape,
                      random.one_in(2) ? dense_layout(shape) : random_layout(random, plan.dtype(), shape, false)));
  };
  const DeviceTensor output = way.in_place ? data : make_output();
  Both both{data, {}, {}, output, output};
  if (problem.indices) both.indices.emplace(place(*problem.indices));
  if (problem.updates) both.updates.emplace(place(*problem.updates));
  return both;
}

cuda::Operands device_operands(const Both& both) {
  cuda::Operands operands{both.data.device()};
  if (both.indices) operands.indices.emplace(both.indices->device());
  if (both.updates) operands.updates.emplace(both.updates->device());
  return operands;
}

void expect_same_error(const Error& expected, const Error& actual) {
  EXPECT_EQ(expected.message(), actual.message());
  EXPECT_EQ(static_cast<int>(expected.code), static_cast<int>(actual.code));
  EXPECT_EQ(expected.position(), actual.position());
  EXPECT_EQ(expected.subject().op, actual.subject().op);
  EXPECT_EQ(expected.subject().operand, actual.subject().operand);
  EXPECT_EQ(expected.subject().axis, actual.subject().axis);
  EXPECT_EQ(expected.value(), actual.value());
}

Status run_captured(const Plan& plan, const cuda::Operands& operands, const cuda::MutableDeviceView& output,
                    cuda::DeviceOptions options) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  options.stream = stream;
  const auto ticket = cuda::enqueue(plan, operands, output, options);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  Status status = ticket ? ticket->wait() : Status(tl::unexpected(ticket.error()));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return status;
}

// Runs with the options of `way`, in a workspace passed to the call if `way.own_workspace` is set.
Status run_in_workspace(const Plan& plan, const cuda::Operands& operands, const cuda::MutableDeviceView& output,
                        cuda::DeviceOptions options, const Way& way) {
  std::vector<std::byte> workspace;
  if (way.own_workspace) {
    const auto explained = cuda::explain(plan, operands, output, options);
    if (!explained) return tl::unexpected(explained.error());
    workspace.resize(static_cast<std::size_t>(explained->scratch_bytes) + 255, std::byte{0x3C});
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    options.workspace = workspace.data() + (256 - address % 256) % 256;
    options.workspace_bytes = explained->scratch_bytes;
  }
  if (way.captures) return run_captured(plan, operands, output, options);
  return cuda::run(plan, operands, output, options);
}

Status run_on_device(const Plan& plan, const cuda::Operands& operands, const cuda::MutableDeviceView& output,
                     const Way& way, DeviceTensor* indices, std::map<std::string, int>& tally) {
  cuda::DeviceOptions options{
      .reject_duplicates = way.reject_duplicates, .output_is_new = way.output_is_new, .force_strategy = way.force};
  if (way.output_is_new && !way.keeps) {
    options.force_strategy = cuda::DeviceStrategy::kGatherFused;
    if (!cuda::explain(plan, operands, output, options)) options.force_strategy.reset();
    if (options.force_strategy) ++tally["fused"];
  }
  if (!way.keeps) return run_in_workspace(plan, operands, output, options, way);
  const auto checked = cuda::check_indices(plan, *operands.indices, options);
  if (!checked) return tl::unexpected(checked.error());
  options.checked_indices = &*checked;
  const auto explained = cuda::explain(plan, operands, output, options);
  if (!explained) return tl::unexpected(explained.error());
  if (explained->uses_checked_indices) {
    indices->overwrite(std::byte{0x77});
    ++tally["kept"];
  }
  return run_in_workspace(plan, operands, output, options, way);
}

void check(Random& random, const Problem& problem, bool real_threads, std::map<std::string, int>& tally) {
  const auto plan = make_plan(problem.call, problem.operands());
  ASSERT_TRUE(plan.has_value()) << "the generator made an illegal call";
  const Way way = random_way(random, problem, real_threads);
  Both both = make_both(random, problem, *plan, way);
  CallOperands on_host = problem.operands();
  const MutableTensorView expected = both.expected.mutable_host();
  if (way.in_place) on_host.data = expected;
  Options options{.executor = &serial_executor(), .reject_duplicates = way.reject_duplicates};
  const Status wanted = run(*plan, on_host, expected, options);

  cuda::Operands on_device = device_operands(both);
  const cuda::MutableDeviceView output = both.output.mutable_device();
  if (way.in_place) on_device.data = output;
  cuda::host_device() = way.device;
  const cuda::ScopedThresholds scoped(way.as);
  const Status status =
      run_on_device(*plan, on_device, output, way, both.indices ? &*both.indices : nullptr, tally);
  ASSERT_EQ(wanted.has_value(), status.has_value()) << (wanted ? status : wanted).error().message();
  if (!wanted) expect_same_error(wanted.error(), status.error());
  if (!wanted && way.output_is_new) {  // its elements are undefined after an error
    const StridedCopy copy(both.expected.host(), output.data(), both.output.host());
    copy.run(0, copy.part_count());
  }
  EXPECT_FALSE(cuda::host_device().gap_touched) << "a kernel wrote outside its piece of the workspace";
  EXPECT_TRUE(same_bits(both.expected.host(), both.output.host()));
  EXPECT_TRUE(both.expected.same_bytes(both.output)) << "bytes outside the elements";
  ++tally[wanted ? "done" : "refused"];
  if (way.in_place) ++tally["in place"];
}

void compare(OpKind op, std::int64_t cases, bool real_threads, std::map<std::string, int>& tally) {
  Random random(kSeed + static_cast<std::uint64_t>(op));
  for (std::int64_t i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
    const std::int64_t size = i % 400 == 0 ? 6000 : random.below(20) < 5 ? 700 : 60;
    Problem problem = random_problem(random, op, size);
    if (problem.data.view().dtype() == DType::kString) continue;
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    check(random, problem, real_threads, tally);
  }
  cuda::host_device() = {};
}

class CudaComparison : public testing::TestWithParam<OpKind> {};

TEST_P(CudaComparison, HasTheBitsAndErrorsOfTheLibrary) {
  const std::int64_t cases = cases_per_operator();
  std::map<std::string, int> tally;
  compare(GetParam(), cases, false, tally);
  if (cases < 1000 || HasFailure()) return;
  EXPECT_GE(tally["done"], cases / 2);
  EXPECT_GE(tally["refused"], cases / 50);
  if (is_scatter(GetParam())) {
    EXPECT_GE(tally["in place"], cases / 10);
  }
  if (GetParam() == OpKind::kGather || GetParam() == OpKind::kGatherElements) {
    EXPECT_GE(tally["fused"], cases / 20);
  }
  if (GetParam() != OpKind::kTensorScatter) {
    EXPECT_GE(tally["kept"], cases / 20);
  }
}

// Runs each block on a thread, so that ThreadSanitizer detects data races between blocks.
TEST_P(CudaComparison, HasTheBitsAndErrorsWithBlocksOnThreads) {
  std::map<std::string, int> tally;
  compare(GetParam(), 40, true, tally);
  EXPECT_GE(tally["done"], 20);
}

INSTANTIATE_TEST_SUITE_P(All, CudaComparison, testing::ValuesIn(kOperators), name_of_test);

}  // namespace
}  // namespace strew::support

// Tests calls on the emulated device: which calls are rejected, and how the error is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"
#include "strew/ops.h"
#include "support/refusal.h"

namespace strew::cuda {
namespace {

template <class T>
DeviceView view_of(const std::vector<T>& values, Shape shape) {
  return {values.data(), dtype_of<T>, std::move(shape)};
}

// The call data[4] += updates[3] at indices[3, 1], in place.
struct AddOf {
  std::vector<float> data{1, 2, 3, 4};
  std::vector<std::int64_t> indices{1, 3, 1};
  std::vector<float> updates{10, 20, 30};
  Plan plan = make_scatter_nd_plan({DType::kFloat32, {4}}, {DType::kInt64, {3, 1}}, {DType::kFloat32, {3}},
                                   {.reduction = Reduction::kAdd})
                  .value();

  MutableDeviceView output() { return {data.data(), DType::kFloat32, {4}}; }
  Operands operands() { return {view_of(data, {4}), view_of(indices, {3, 1}), view_of(updates, {3})}; }
  Status run(const DeviceOptions& options = {}) { return cuda::run(plan, operands(), output(), options); }
};

// Returns the strategy of a call whose operands lie at addresses that are not accessed.
std::string strategy_of(const Plan& plan, const DeviceOptions& options = {}) {
  const auto at = [](std::uintptr_t number) { return reinterpret_cast<void*>(number << 40); };
  const MutableDeviceView output(at(1), plan.dtype(), plan.output_shape());
  Operands operands{{at(plan.is_scatter() ? 1 : 2), plan.dtype(), plan.data().shape},
                    DeviceView(at(3), plan.indices().dtype, plan.indices().shape)};
  if (plan.is_scatter()) operands.updates.emplace(at(4), plan.dtype(), plan.position_shape());
  return std::string(device_strategy_name(explain(plan, operands, output, options)->strategy));
}

class CudaCall : public testing::Test {
 protected:
  void TearDown() override { host_device() = {}; }
};

TEST_F(CudaCall, RunsTheExampleOfTheHeader) {
  using enum DType;
  std::vector<float> four{1, 2, 3, 4};
  const std::vector<std::int64_t> places{1, 3, 1};
  const std::vector<float> three{10, 20, 30};
  void* data = four.data();
  const void* indices = places.data();
  const void* updates = three.data();
  auto plan = strew::make_scatter_nd_plan({kFloat32, {4}}, {kInt64, {3, 1}}, {kFloat32, {3}},
                                          {.reduction = strew::Reduction::kAdd});
  strew::cuda::Operands operands{{data, kFloat32, {4}}};
  operands.indices.emplace(indices, kInt64, strew::Shape{3, 1});
  operands.updates.emplace(updates, kFloat32, strew::Shape{3});
  strew::Status status = strew::cuda::run(*plan, operands, {data, kFloat32, {4}});
  EXPECT_EQ(message_of(status), "");
  EXPECT_EQ(four, (std::vector<float>{1, 42, 3, 24}));
}

TEST_F(CudaCall, ReportsABadIndexAsTheLibraryDoesAndWritesNothing) {
  AddOf call;
  call.indices = {1, -5, 9};
  const auto wanted = scatter_nd(TensorView(call.data, {4}), TensorView(call.indices, {3, 1}),
                                 TensorView(call.updates, {3}), {.reduction = Reduction::kAdd});
  const Status status = call.run();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message(), wanted.error().message());
  EXPECT_EQ(status.error().message(),
            "scatter_nd: indices[1, 0] = -5 is outside [-4, 3] for axis 0 of data with shape [4]");
  EXPECT_EQ(*status.error().position(), (Shape{1, 0}));
  EXPECT_EQ(call.data, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CudaCall, GivesATicketThatIsReadyWhenTheStreamIs) {
  host_device().delays = true;
  AddOf call;
  call.indices = {0, 1, 4};
  const auto ticket = enqueue(call.plan, call.operands(), call.output()).value();
  EXPECT_FALSE(ticket.ready());
  call.indices = {0, 0, 0};  // the message no longer depends on this memory
  EXPECT_EQ(message_of(ticket.wait()),
            "scatter_nd: indices[2, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
  EXPECT_TRUE(ticket.ready());
}

TEST_F(CudaCall, ReportsADeferredErrorAtTheNextCall) {
  DeferredErrors deferred;
  DeviceOptions options{.deferred = &deferred};
  AddOf bad;
  bad.indices = {0, 4, 0};
  EXPECT_EQ(message_of(bad.run(options)), "");
  AddOf next;
  EXPECT_EQ(message_of(next.run(options)),
            "scatter_nd: indices[1, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
  EXPECT_EQ(next.data, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(message_of(next.run(options)), "");
  EXPECT_EQ(message_of(deferred.wait()), "");
}

TEST_F(CudaCall, ReportsADeferredErrorAfterAWait) {
  host_device().delays = true;
  DeferredErrors deferred;
  DeviceOptions options{.deferred = &deferred};
  AddOf bad;
  bad.indices = {0, 4, 0};
  EXPECT_EQ(message_of(bad.run(options)), "");
  EXPECT_EQ(message_of(deferred.poll()), "");
  EXPECT_EQ(message_of(deferred.wait()),
            "scatter_nd: indices[1, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
}

TEST_F(CudaCall, NamesADuplicateAsTheLibraryDoes) {
  AddOf call;
  call.plan =
      make_scatter_nd_plan({DType::kFloat32, {4}}, {DType::kInt64, {3, 1}}, {DType::kFloat32, {3}}).value();
  DeviceOptions options{.reject_duplicates = true};
  EXPECT_EQ(
      message_of(call.run(options)),
      "scatter_nd: updates[2] has the same destination as updates[0] (indices[2] and indices[0]), and duplicates "
      "are rejected");
  EXPECT_EQ(call.data, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CudaCall, RejectsStrings) {
  const Plan plan = make_gather_plan({DType::kString, {4}}, {DType::kInt64, {3}}).value();
  const std::int64_t index[3] = {0, 1, 2};
  const Operands operands{{index, DType::kString, {4}}, DeviceView(index, DType::kInt64, {3})};
  std::int64_t output = 0;
  EXPECT_EQ(message_of(run(plan, operands, {&output, DType::kString, {3}})),
            "gather: strings are in host memory, which a device cannot read");
}

TEST_F(CudaCall, RejectsAnAddressBetweenElements) {
  AddOf call;
  Operands operands = call.operands();
  operands.updates.emplace(reinterpret_cast<const char*>(call.updates.data()) + 1, DType::kFloat32, Shape{3});
  EXPECT_EQ(
      message_of(run(call.plan, operands, call.output())),
      "scatter_nd: the address of updates is not a multiple of 4 bytes, so a device cannot read float32 there");
}

TEST_F(CudaCall, RejectsAWorkspaceThatIsTooSmall) {
  AddOf call;
  const auto explained = explain(call.plan, call.operands(), call.output()).value();
  EXPECT_GT(explained.scratch_bytes, 0);
  alignas(256) char memory[256];
  DeviceOptions options{.workspace = memory, .workspace_bytes = 256};
  EXPECT_EQ(message_of(call.run(options)),
            "scatter_nd: the workspace has 256 bytes; the call needs " + std::to_string(explained.scratch_bytes));
}

TEST_F(CudaCall, RespectsTheLimitOfScratchMemory) {
  AddOf call;
  DeviceOptions options{.limits = {.scratch_bytes = 100}};
  const std::string message = message_of(call.run(options));
  EXPECT_EQ(message.substr(0, 33), "scatter_nd: device_columns needs ") << message;
  EXPECT_NE(message.find(" bytes of device memory; scratch_limit is 100"), std::string::npos) << message;
}

TEST_F(CudaCall, ReportsThatThereIsNoMemory) {
  host_device().memory = 100;
  AddOf call;
  expect_refused(call.run(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(call.data, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CudaCall, NamesTheRuntimeFunctionThatFailed) {
  for (const std::string name :
       {"cudaMemsetAsync", "cudaLaunchKernelEx", "cudaMemcpyAsync", "cudaEventRecord",
        "cudaEventSynchronize"}) {  // the last one reports an earlier failure of the device
    AddOf call;
    host_device().fails = name;
    host_device().failure = 719;
    const Status status = call.run();
    ASSERT_FALSE(status.has_value()) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kDevice);
    EXPECT_EQ(status.error().message(),
              "scatter_nd: " + name + " failed with cudaErrorLaunchFailure: unspecified launch failure");
    EXPECT_EQ(error_code_name(status.error().code), "device error");
  }
}

// After a runtime function fails, no later step of the call may run: it would read a result that was not computed.
TEST_F(CudaCall, EnqueuesNothingAfterAFailedCall) {
  for (const auto strategy : {DeviceStrategy::kColumns, DeviceStrategy::kSortFold}) {
    for (const std::string name : {"cudaMallocAsync", "cudaMemsetAsync", "cudaLaunchKernelEx"}) {
      AddOf call;
      call.indices = {0, 9, 0};
      DeviceOptions options{.force_strategy = strategy};
      host_device() = {.fails = name, .failure = 719};
      EXPECT_EQ(message_of(call.run(options)),
                "scatter_nd: " + name + " failed with cudaErrorLaunchFailure: unspecified launch failure");
      EXPECT_EQ(call.data, (std::vector<float>{1, 2, 3, 4}));
      auto behind = std::ranges::find(host_device().calls, name);
      ASSERT_NE(behind, host_device().calls.end());
      for (++behind; behind != host_device().calls.end(); ++behind) {
        EXPECT_TRUE(*behind == "cudaFreeAsync" || *behind == "cudaGetLastError") << *behind << " after " << name;
      }
    }
  }
}

TEST_F(CudaCall, AllocatesHostMemoryOnce) {
  AddOf call;
  ASSERT_EQ(message_of(call.run()), "");
  host_device().calls.clear();
  ASSERT_EQ(message_of(call.run()), "");
  EXPECT_EQ(std::ranges::count(host_device().calls, "cudaHostAlloc"), 0);
  EXPECT_EQ(std::ranges::count(host_device().calls, "cudaEventCreateWithFlags"), 0);
}

// If cudaEventRecord fails, no event reports the end of the copy to host memory, so this memory is not reused.
TEST_F(CudaCall, DoesNotReuseHostMemoryThatACopyMayStillWrite) {
  AddOf call;
  host_device().calls.clear();
  for (int i = 0; i < 100; ++i) {
    host_device().fails = "cudaEventRecord";
    host_device().failure = 719;
    ASSERT_EQ(message_of(call.run()),
              "scatter_nd: cudaEventRecord failed with cudaErrorLaunchFailure: unspecified launch failure");
  }
  EXPECT_GE(std::ranges::count(host_device().calls, "cudaHostAlloc"), 50);
}

TEST_F(CudaCall, DoesNotWaitWhenATicketIsDestroyed) {
  host_device().delays = true;
  AddOf call;
  ASSERT_TRUE(enqueue(call.plan, call.operands(), call.output()));
  ASSERT_TRUE(enqueue(call.plan, call.operands(), call.output()));
  EXPECT_EQ(std::ranges::count(host_device().calls, "cudaEventSynchronize"), 0);
}

TEST_F(CudaCall, SortsFloatsAndAddsIntegersAtomically) {
  const auto strategy = [](DType dtype, Reduction reduction, std::int64_t count = 1000) {
    return strategy_of(*make_scatter_nd_plan({dtype, {4}}, {DType::kInt64, {count, 1}}, {dtype, {count}},
                                             {.reduction = reduction}));
  };
  EXPECT_EQ(strategy(DType::kFloat32, Reduction::kAdd, 32), "device_columns");
  EXPECT_EQ(strategy(DType::kFloat32, Reduction::kMean, 32), "device_sort_fold");
  EXPECT_EQ(strategy(DType::kFloat32, Reduction::kAdd), "device_sort_fold");
  EXPECT_EQ(strategy(DType::kFloat32, Reduction::kMax), "device_atomic");
  EXPECT_EQ(strategy(DType::kInt32, Reduction::kAdd), "device_atomic");
  EXPECT_EQ(strategy(DType::kInt8, Reduction::kAdd), "device_sort_fold");
  EXPECT_EQ(strategy(DType::kInt32, Reduction::kNone), "device_last_wins");
}

// A gather into a new output may check indices during the copy: no written element is read again.
TEST_F(CudaCall, ChecksIndicesWhileItGathersElementsIntoANewOutput) {
  const std::vector<std::int32_t> data{10, 11, 12};
  std::vector<std::int64_t> indices{2, 0, -1, 7};
  std::vector<std::int32_t> output(4, -9);
  const Plan plan = make_gather_plan({DType::kInt32, {3}}, {DType::kInt64, {4}}).value();
  const Operands operands{view_of(data, {3}), view_of(indices, {4})};
  const MutableDeviceView to(output.data(), DType::kInt32, {4});
  DeviceOptions options{.output_is_new = true};
  const auto explained = explain(plan, operands, to, options).value();
  EXPECT_EQ(device_strategy_name(explained.strategy), "device_gather_fused");
  EXPECT_LT(explained.scratch_bytes, explain(plan, operands, to)->scratch_bytes);
  const std::string refused = "gather: indices[3] = 7 is outside [-3, 2] for axis 0 of data with shape [3]";
  EXPECT_EQ(message_of(cuda::run(plan, operands, to)), refused);
  EXPECT_EQ(output, (std::vector<std::int32_t>(4, -9)));
  EXPECT_EQ(message_of(cuda::run(plan, operands, to, options)), refused);
  indices[3] = 1;
  EXPECT_EQ(message_of(cuda::run(plan, operands, to, options)), "");
  EXPECT_EQ(output, (std::vector<std::int32_t>{12, 10, 12, 11}));
  options.force_strategy = DeviceStrategy::kGatherFused;
  options.output_is_new = false;
  EXPECT_EQ(
      message_of(cuda::run(plan, operands, to, options)),
      "gather: device_gather_fused does not apply: indices are already checked, or a rejected call must not write "
      "to the output");
}

TEST_F(CudaCall, NamesTheFirstOfManyBadIndicesThatItChecksWhileItGathers) {
  const std::vector<std::int32_t> data{10, 11, 12};
  std::vector<std::int64_t> indices(200, 3);
  std::fill_n(indices.begin(), 70, 1);
  std::vector<std::int32_t> output(200);
  const Plan plan = make_gather_plan({DType::kInt32, {3}}, {DType::kInt64, {200}}).value();
  DeviceOptions options{.output_is_new = true};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    host_device().seed = seed;
    EXPECT_EQ(message_of(cuda::run(plan, {view_of(data, {3}), view_of(indices, {200})},
                                   {output.data(), DType::kInt32, {200}}, options)),
              "gather: indices[70] = 3 is outside [-3, 2] for axis 0 of data with shape [3]");
  }
}

TEST_F(CudaCall, ChecksIndicesFirstIfRowsAreLongOrIndicesAreReadAgain) {
  const auto strategy = [](const Shape& shape, std::int64_t axis, DType dtype = DType::kInt64) {
    return strategy_of(*make_gather_plan({DType::kFloat32, shape}, {dtype, {5}}, {.axis = axis}),
                       {.output_is_new = true});
  };
  EXPECT_EQ(strategy({7}, 0), "device_gather_fused");
  EXPECT_EQ(strategy({7, 4}, 0), "device_gather_fused");  // rows of 16 bytes are copied in one step
  EXPECT_EQ(strategy({7, 5}, 0), "device_gather");
  EXPECT_EQ(strategy({7, 8}, 0), "device_gather");
  EXPECT_EQ(strategy({3, 7}, 1), "device_gather");
  EXPECT_EQ(strategy({7}, 0, DType::kInt8), "device_gather");
}

// 1,000 rows of indices along 40,000 columns: updates of different columns have different destinations.
TEST_F(CudaCall, VisitsManyColumnsInsteadOfSortingThem) {
  const auto strategy = [](bool wide) {
    constexpr std::int64_t kColumns = 40'000;
    const Shape data = wide ? Shape{2000, kColumns} : Shape{kColumns, 2000};
    const Shape updates = wide ? Shape{1000, kColumns} : Shape{100, 2000};
    const auto plan =
        make_scatter_elements_plan({DType::kFloat32, data}, {DType::kInt64, updates}, {DType::kFloat32, updates},
                                   {.axis = 0, .reduction = Reduction::kAdd});
    return strategy_of(*plan, {.limits = {.scratch_bytes = INT64_MAX}});
  };
  EXPECT_EQ(strategy(true), "device_columns");
  EXPECT_EQ(strategy(false), "device_sort_fold");
}

TEST_F(CudaCall, RejectsAForcedStrategyThatWouldChangeBits) {
  AddOf call;
  DeviceOptions options{.force_strategy = DeviceStrategy::kAtomic};
  EXPECT_EQ(
      message_of(call.run(options)),
      "scatter_nd: device_atomic does not apply: atomic updates could change the bits, or elements are narrower "
      "than 4 bytes");
}

}  // namespace
}  // namespace strew::cuda

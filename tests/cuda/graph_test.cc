// Tests calls captured into graphs: the runtime functions used during the capture, and the results of launches.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"
#include "strew/ops.h"
#include "support/refusal.h"

namespace strew::cuda {
namespace {

// The runtime functions that may be called during a capture in the default mode of the thread.
const std::set<std::string> kAllowed = {
    "cudaGetDevice",    "cudaDeviceGetAttribute", "cudaStreamIsCapturing", "cudaMallocAsync",
    "cudaFreeAsync",    "cudaMemsetAsync",        "cudaMemcpyAsync",       "cudaThreadExchangeStreamCaptureMode",
    "cudaGetLastError", "cudaLaunchKernelEx"};
// Further runtime functions that may be called after the thread has switched to relaxed mode.
const std::set<std::string> kAllowedRelaxed = {"cudaHostAlloc", "cudaEventCreateWithFlags", "cudaEventQuery"};

// The call data[4] <- updates[3] at indices[3, 1], in place.
struct Scatter {
  std::vector<float> data{1, 2, 3, 4};
  std::vector<std::int64_t> indices{1, 3, 1};
  std::vector<float> updates{10, 20, 30};
  Plan plan;

  explicit Scatter(Reduction reduction)
      : plan(make_scatter_nd_plan({DType::kFloat32, {4}}, {DType::kInt64, {3, 1}}, {DType::kFloat32, {3}},
                                  {.reduction = reduction})
                 .value()) {}
  MutableDeviceView output() { return {data.data(), DType::kFloat32, {4}}; }
  DeviceView index_view() const { return {indices.data(), DType::kInt64, {3, 1}}; }
  Operands operands() { return {output(), index_view(), DeviceView{updates.data(), DType::kFloat32, {3}}}; }
  std::vector<float> on_host() const {
    std::vector<float> values = data;
    const Status status =
        strew::run(plan, {TensorView(values, {4}), TensorView(indices, {3, 1}), TensorView(updates, {3})},
                   MutableTensorView(values, {4}));
    return status ? values : data;
  }
};

class CudaGraph : public testing::TestWithParam<Reduction> {
 protected:
  CudaGraph() { cudaStreamCreate(&options.stream_); }
  ~CudaGraph() override {
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(options.stream_);
    host_device() = {};
  }
  // Captures the work that `body` puts into the stream.
  template <class Body>
  void capture(const Body& body, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(options.stream_, mode), cudaSuccess);
    host_device().calls.clear();
    body();
    calls = host_device().calls;
    ASSERT_EQ(cudaStreamEndCapture(options.stream_, &graph), cudaSuccess) << "the capture was broken";
  }
  void launch() { ASSERT_EQ(cudaGraphLaunch(graph, options.stream_), cudaSuccess); }

  struct StreamOptions : DeviceOptions {
    cudaStream_t stream_ = nullptr;
    const DeviceOptions& in_stream() {
      stream = stream_;
      return *this;
    }
  } options;
  cudaGraph_t graph = nullptr;
  std::vector<std::string> calls;
};

INSTANTIATE_TEST_SUITE_P(All, CudaGraph,
                         testing::Values(Reduction::kNone, Reduction::kMax, Reduction::kAdd, Reduction::kMean),
                         [](const auto& test) { return std::string(reduction_name(test.param)); });

TEST_P(CudaGraph, MakesNoCallThatACaptureForbids) {
  Scatter scatter(GetParam());
  capture([&] { ASSERT_TRUE(enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())); });
  for (const std::string& call : calls) {
    EXPECT_TRUE(kAllowed.contains(call) || kAllowedRelaxed.contains(call)) << call;
  }
  EXPECT_THAT(calls,
              testing::Not(testing::Contains("cudaEventRecord")));  // an event of a capture cannot be queried
  EXPECT_EQ(scatter.data, (std::vector<float>{1, 2, 3, 4})) << "the call ran during its capture";
}

TEST_P(CudaGraph, HasTheBitsOfTheLibraryAtEachLaunch) {
  Scatter scatter(GetParam());
  std::optional<Ticket> ticket;
  capture([&] { ticket = *enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream()); });
  for (const std::vector<std::int64_t>& indices : {std::vector<std::int64_t>{1, 3, 1}, {0, 0, -1}, {2, 1, 0}}) {
    scatter.indices = indices;
    const std::vector<float> wanted = scatter.on_host();
    launch();
    EXPECT_EQ(message_of(ticket->wait()), "");
    EXPECT_EQ(scatter.data, wanted);
  }
}

TEST_P(CudaGraph, WorksInAWorkspaceWithoutAllocating) {
  Scatter scatter(GetParam());
  alignas(256) std::byte memory[8192];
  options.workspace = memory;
  options.workspace_bytes = sizeof memory;
  capture([&] { ASSERT_TRUE(enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())); });
  EXPECT_THAT(calls, testing::Not(testing::Contains("cudaMallocAsync")));
  const std::vector<float> wanted = scatter.on_host();
  launch();
  EXPECT_EQ(scatter.data, wanted);
}

TEST_P(CudaGraph, UsesKeptIndices) {
  Scatter scatter(GetParam());
  const auto kept = check_indices(scatter.plan, scatter.index_view(), options.in_stream());
  ASSERT_TRUE(kept);
  options.checked_indices = &*kept;
  capture([&] { ASSERT_TRUE(enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())); });
  const std::vector<float> wanted = scatter.on_host();
  scatter.indices.assign(3, 99);
  launch();
  EXPECT_EQ(scatter.data, wanted);
}

TEST_F(CudaGraph, ReportsTheErrorOfEachLaunch) {
  Scatter scatter(Reduction::kAdd);
  std::optional<Ticket> ticket;
  capture([&] { ticket = *enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream()); });
  EXPECT_TRUE(ticket->captured());
  EXPECT_FALSE(ticket->ready());
  EXPECT_EQ(message_of(ticket->wait()),
            "scatter_nd: the graph that the call was captured in has not run; launch it, and wait for its stream");
  scatter.indices = {0, 4, 0};
  launch();
  EXPECT_TRUE(ticket->ready());
  EXPECT_EQ(message_of(ticket->wait()),
            "scatter_nd: indices[1, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
  EXPECT_EQ(scatter.data, (std::vector<float>{1, 2, 3, 4}));
  scatter.indices = {0, 0, 0};
  launch();
  EXPECT_EQ(message_of(ticket->wait()), "");
  EXPECT_EQ(scatter.data[0], 61.0f);
}

TEST_F(CudaGraph, ReportsDeferredErrorsOfEachLaunch) {
  DeferredErrors deferred;
  options.deferred = &deferred;
  Scatter scatter(Reduction::kAdd);
  capture([&] {
    EXPECT_EQ(message_of(run(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())), "");
  });
  EXPECT_EQ(message_of(deferred.wait()), "");  // the graph has not run
  for (int launched = 0; launched < 2; ++launched) {
    scatter.indices = {0, 4, 0};
    launch();
    EXPECT_EQ(message_of(deferred.wait()),
              "scatter_nd: indices[1, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
    scatter.indices = {0, 1, 0};
    launch();
    EXPECT_EQ(message_of(deferred.poll()), "");
  }
}

TEST_F(CudaGraph, DoesNotWaitForEarlierCallsDuringACapture) {
  host_device().delays = true;
  DeferredErrors deferred;
  options.deferred = &deferred;
  Scatter before(Reduction::kAdd);
  Scatter scatter(Reduction::kAdd);
  EXPECT_EQ(message_of(run(before.plan, before.operands(), before.output(), options.in_stream())), "");
  capture([&] {
    EXPECT_EQ(message_of(run(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())), "");
  });
  EXPECT_THAT(calls, testing::Not(testing::Contains("cudaEventSynchronize")));
  EXPECT_EQ(message_of(deferred.wait()), "");
}

TEST_F(CudaGraph, ReportsNoErrorToOtherTicketsWhenItsTicketIsDestroyed) {
  Scatter scatter(Reduction::kAdd);
  capture([&] { ASSERT_TRUE(enqueue(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())); });
  Scatter other(Reduction::kAdd);
  std::vector<Ticket> tickets;
  for (int i = 0; i < 16; ++i) tickets.push_back(*enqueue(other.plan, other.operands(), other.output()));
  scatter.indices = {0, 4, 0};
  launch();
  for (const Ticket& ticket : tickets) EXPECT_EQ(message_of(ticket.wait()), "");
}

TEST_F(CudaGraph, RejectsACallThatWaits) {
  Scatter scatter(Reduction::kAdd);
  capture([&] {
    EXPECT_EQ(message_of(run(scatter.plan, scatter.operands(), scatter.output(), options.in_stream())),
              "scatter_nd: the stream is being captured, so the host cannot wait for the call; defer it "
              "(DeviceOptions::deferred, in Python strew.cuda.deferred()), or use enqueue");
    EXPECT_FALSE(check_indices(scatter.plan, scatter.index_view(), options.in_stream()));
  });
  launch();
  EXPECT_EQ(scatter.data, (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace strew::cuda

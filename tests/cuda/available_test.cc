// Tests available() and check_available() on emulated machines.
#include <gtest/gtest.h>

#include <string>

#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

constexpr int kLaunchFailure = 719;

class CudaAvailable : public testing::Test {
 protected:
  void TearDown() override { host_device() = {}; }

  // Returns the error of check_available() on such a machine.
  static std::string said_of(const HostDevice& machine, ErrorCode code = ErrorCode::kUnsupported) {
    host_device() = machine;
    EXPECT_FALSE(available());
    host_device() = machine;
    const Status status = check_available();
    if (status) return "done";
    EXPECT_EQ(status.error().code, code);
    return status.error().message();
  }
};

TEST_F(CudaAvailable, IsTrueWithADriverAndADevice) {
  for (const HostDevice& machine : {HostDevice{}, HostDevice{.driver = 13010, .devices = 2, .capability = 120}}) {
    host_device() = machine;
    EXPECT_TRUE(available());
    EXPECT_TRUE(check_available());
  }
}

TEST_F(CudaAvailable, NamesAMissingOrOldDriverOrDevice) {
  EXPECT_EQ(said_of({.driver = 0}), "there is no CUDA driver; one for CUDA 13 or newer is needed");
  EXPECT_EQ(said_of({.driver = 12080}), "the driver is for CUDA 12.8; one for CUDA 13 or newer is needed");
  EXPECT_EQ(said_of({.devices = 0}), "no CUDA device is visible to this process (CUDA_VISIBLE_DEVICES)");
  EXPECT_EQ(said_of({.capability = 75}),
            "the newest device has compute capability 7.5, and the kernels were compiled for 8.0 and newer");
}

TEST_F(CudaAvailable, ReportsOtherErrorsOfCuda) {
  EXPECT_EQ(said_of({.fails = "cudaGetDeviceCount", .failure = kLaunchFailure}, ErrorCode::kDevice),
            "cudaGetDeviceCount failed with cudaErrorLaunchFailure: unspecified launch failure");
}

TEST_F(CudaAvailable, LeavesNoErrorForLaterCalls) {
  said_of({.devices = 0});
  EXPECT_EQ(host_device().calls.back(), "cudaGetLastError");
}

}  // namespace
}  // namespace strew::cuda

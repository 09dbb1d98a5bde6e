// Tests limits on processors and memory from control groups and affinity masks.
#include "core/linux/process_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/machine.h"
#include "strew/memory.h"

namespace strew {
namespace {

class Limits : public ::testing::Test {
 protected:
  ~Limits() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << '\n';
  }
  ControlGroups listed(const std::string& groups) {
    write("groups", groups);
    return {(root_ / "groups").string(), root_.string()};
  }
  // Returns the usable processors, of eight, for a process in these groups.
  int processors(const std::string& groups) { return processors_of_groups(listed(groups), 8); }
  // Returns the usable bytes, of 1000, for a process in these groups.
  std::int64_t memory(const std::string& groups) { return memory_of_groups(listed(groups), 1000); }

  std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("strew_groups_" + std::to_string(::getpid()));
};

TEST_F(Limits, LeaveAllProcessorsWithoutAQuota) {
  EXPECT_EQ(processors("0::/"), 8);
  EXPECT_EQ(processors(""), 8);
  EXPECT_EQ(processors("no group"), 8);
  write("cpu.max", "max 100000");
  EXPECT_EQ(processors("0::/"), 8);
  EXPECT_EQ(processors_of_groups({"/no/such/file", "/no/such/folder"}, 8), 8);
}

TEST_F(Limits, RoundTheQuotaOfTheGroupUp) {
  const std::pair<const char*, int> quotas[] = {
      {"200000 100000", 2}, {"150000 100000", 2}, {"1000 100000", 1}, {"9900000 100000", 8}};
  for (const auto& [quota, expected] : quotas) {
    write("pod/cpu.max", quota);
    EXPECT_EQ(processors("0::/pod"), expected) << quota;
  }
}

TEST_F(Limits, ApplyTheLeastQuotaOfTheOuterGroups) {
  write("pod/cpu.max", "300000 100000");
  write("pod/inner/cpu.max", "max 100000");
  EXPECT_EQ(processors("0::/pod/inner"), 3);
  write("cpu.max", "100000 100000");
  EXPECT_EQ(processors("0::/pod/inner"), 1);
  EXPECT_EQ(processors("0::/of/the/host"), 1) << "a container may not see the folder of its group";
}

TEST_F(Limits, ReadQuotasOfVersion1) {
  write("cpu/pod/cpu.cfs_quota_us", "250000");
  write("cpu/pod/cpu.cfs_period_us", "50000");
  EXPECT_EQ(processors("5:memory:/pod\n4:cpu,cpuacct:/pod\n0::/"), 5);
  EXPECT_EQ(processors("3:cpuset:/pod"), 8);
  write("cpu/pod/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(processors("4:cpuacct,cpu:/pod"), 8);
}

TEST_F(Limits, ApplyTheLeastMemoryOfTheGroupAndItsOuterGroups) {
  EXPECT_EQ(memory("0::/pod"), 1000);
  write("pod/inner/memory.max", "max");
  EXPECT_EQ(memory("0::/pod/inner"), 1000);
  write("pod/memory.max", "700");
  EXPECT_EQ(memory("0::/pod/inner"), 700);
  write("pod/inner/memory.max", "800");
  EXPECT_EQ(memory("0::/pod/inner"), 700);
  write("memory.max", "600");
  EXPECT_EQ(memory("0::/of/the/host"), 600);
}

TEST_F(Limits, ReadMemoryOfVersion1) {
  write("memory/pod/memory.limit_in_bytes", "300");
  EXPECT_EQ(memory("5:memory:/pod\n4:cpu,cpuacct:/pod\n0::/"), 300);
  EXPECT_EQ(memory("4:cpu,cpuacct:/pod"), 1000);
  write("memory/pod/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(memory("5:memory:/pod"), 1000);
}

// Emulates a kernel with 5000 processors, of which every second is allowed.
int affinity_of_many(pid_t /*pid*/, std::size_t bytes, cpu_set_t* set) noexcept {
  if (bytes * 8 < 5000) {
    errno = EINVAL;
    return -1;
  }
  CPU_ZERO_S(bytes, set);
  for (std::size_t i = 0; i < 5000; i += 2) CPU_SET_S(i, bytes, set);
  return 0;
}

TEST(Affinity, CountsMoreProcessorsThanACpuSetHas) {
  EXPECT_EQ(processors_of_affinity(&affinity_of_many), 2500);
  const auto refused = [](pid_t, std::size_t, cpu_set_t*) noexcept {
    errno = EPERM;
    return -1;
  };
  EXPECT_EQ(processors_of_affinity(refused), 1);
  EXPECT_GE(processors_of_affinity(&::sched_getaffinity), usable_processors());
}

TEST(ThreadCount, IsAWholeNumberInItsRange) {
  EXPECT_EQ(thread_count_from("3", 8), 3);
  EXPECT_EQ(thread_count_from("8", 8), 8);
  for (const char* text : {"9", "0", "-1", "", "2x", " 2", "99999999999"}) {
    EXPECT_EQ(thread_count_from(text, 8), 0) << text;
  }
  EXPECT_EQ(thread_count_from(nullptr, 8), 0);
}

TEST(Machine, HasMemory) {
  EXPECT_GT(machine().memory_bytes, 1 << 20);
  EXPECT_GE(machine().max_memory_bytes, machine().memory_bytes);
  EXPECT_LT(machine().max_memory_bytes, std::int64_t{1} << 50);
  EXPECT_EQ(usable_memory(), machine().memory_bytes);
}

}  // namespace
}  // namespace strew

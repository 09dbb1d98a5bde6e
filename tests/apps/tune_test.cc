// Tests strew tune: its measurements, when it rejects them, and the file.

#include <gmock/gmock.h>
#include <sched.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/machine.h"
#include "io/files.h"
#include "measure_machine.h"
#include "strew/testing.h"
#include "support/refusal.h"

namespace strew::app {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Fit, FindsTheNumbersThatExplainTheObservations) {
  const std::vector<Observation> seen = {{{1, 0}, 5}, {{1, 2}, 25}, {{4, 1}, 30}, {{3, 3}, 45}};
  EXPECT_THAT(fit(seen, {4, 9}), ElementsAre(DoubleNear(5, 0.05), DoubleNear(10, 0.05)));
}

TEST(Fit, KeepsTheDefaultOfAnUnobservedNumber) {
  EXPECT_THAT(fit({{{1, 0}, 5}}, {5, 7}), ElementsAre(DoubleNear(5, 1e-6), DoubleNear(7, 1e-6)));
}

TEST(Fit, NeverGoesBelowZero) {
  const std::vector<double> numbers = fit({{{1, 0}, 10}, {{1, 1}, 5}, {{2, 1}, 15}}, {10, 1});
  EXPECT_GT(numbers[0], 5);
  EXPECT_EQ(numbers[1], 0);
}

TEST(OtherLoad, CountsTheProcessorsOfTheAffinityAndNoWorkOfThisProcess) {
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable_processors(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_processors(), 1);
  const OtherLoad load;
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t own_begin = std::clock();
  std::chrono::duration<double> time{};
  while (time.count() < 0.2) time = std::chrono::steady_clock::now() - begin;
  const auto others = load.processors();
  const double own = static_cast<double>(std::clock() - own_begin) / CLOCKS_PER_SEC / time.count();
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  ASSERT_TRUE(others);
  EXPECT_LE(*others, 1 - own + 0.2);  // the kernel counts in ticks of up to 10 ms
}

// Runs one round on a machine with tiny caches, so that little memory is needed.
class Tune : public ::testing::Test {
 protected:
  Result<int> tune_into(const std::string& file, int threads, bool force, bool json,
                        std::optional<double> others = std::nullopt) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    auto code = tune({file, threads, force, json}, 1, [&] { return others; });
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  int tune_with(double others, bool force, bool json = true) {
    const auto code = tune_into(file_.string(), 2, force, json, others);
    EXPECT_TRUE(code) << code.error().message();
    return code.value_or(-1);
  }

  const TempDir folder_;
  const std::filesystem::path file_ = folder_ / "below" / "machine.txt";
  const ScopedMachine small_{Machine{.l1d_bytes = 8 << 10, .l2_bytes = 64 << 10, .l3_bytes = 512 << 10}};
  std::string out_;
  std::string err_;
};

TEST_F(Tune, WritesAFileThatIsReadBack) {
  ASSERT_EQ(tune_with(0, false), 0) << err_;
  const auto account = nlohmann::json::parse(out_);
  const auto read = read_machine(read_file(file_), processor_name(), Machine{});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(account["numbers"].size(), kMachineFields.size());
  for (const auto& number : account["numbers"]) {
    const auto field = std::ranges::find(kMachineFields, number["name"].get<std::string>(), &MachineField::name);
    ASSERT_NE(field, kMachineFields.end());
    EXPECT_GT(number["value"], 0) << number["name"];
    EXPECT_EQ(number["measured"], field->unit != "bytes") << number["name"];
    const std::int64_t expected =
        number["measured"] ? number["value"].get<std::int64_t>() : Machine{}.*field->member;
    EXPECT_EQ((*read).*field->member, expected) << number["name"];
  }
  EXPECT_LE(read->l2_random_line_ps, read->l3_random_line_ps);
  EXPECT_LE(read->l3_random_line_ps, read->memory_random_line_ps);
  EXPECT_LE(read->near_line_ps, read->far_line_ps);
  EXPECT_EQ(account["file"], file_.string());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file_.parent_path()), {}), 1) << "no other file";
}

TEST_F(Tune, RejectsABusyMachine) {
  EXPECT_EQ(tune_with(999, false), 1);
  EXPECT_THAT(err_, HasSubstr("tune: other programs keep 999.0 of "));
  EXPECT_THAT(err_, HasSubstr("--force"));
  EXPECT_THAT(nlohmann::json::parse(out_)["error"]["message"].get<std::string>(), HasSubstr("999.0"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Tune, MeasuresOnABusyMachineIfForced) {
  EXPECT_EQ(tune_with(999, true, false), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("number        measured"));
  EXPECT_THAT(out_, HasSubstr("Written to " + file_.string()));
  EXPECT_THAT(read_file(file_), HasSubstr("memory_line = "));
  EXPECT_THAT(read_file(file_), ::testing::Not(HasSubstr("wake = "))) << "other programs used the processors";
}

TEST_F(Tune, SaysWhyAFileCannotBeWritten) {
  std::ofstream(folder_ / "below") << "a file";
  EXPECT_THAT(message_of(tune_into(file_.string(), 1, true, false)),
              HasSubstr("tune: cannot write " + file_.string()));
  EXPECT_EQ(message_of(tune_into("/dev/null", 1, true, false)),
            "tune: cannot write /dev/null: it is not a regular file");
}

TEST_F(Tune, FollowsALinkAndKeepsThePermissions) {
  std::filesystem::create_directories(file_.parent_path());
  const std::filesystem::path real = folder_ / "real.txt";
  std::ofstream(real) << "old";
  std::filesystem::permissions(real, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(real, file_);
  EXPECT_EQ(tune_with(0, false), 0) << err_;
  EXPECT_TRUE(std::filesystem::is_symlink(file_));
  EXPECT_GT(std::filesystem::file_size(real), 100u);
  EXPECT_EQ(std::filesystem::status(real).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Tune, PrintsTheFileToStandardOutput) {
  EXPECT_EQ(message_of(tune_into("-", 1, true, false)), "");
  EXPECT_EQ(message_of(read_machine(out_, processor_name(), Machine{})), "");
  EXPECT_FALSE(std::filesystem::exists("-"));
  EXPECT_EQ(message_of(tune_into("-", 1, true, true)),
            "tune: --output - and --json both write to standard output");
}

TEST_F(Tune, KeepsNumbersOfTheOldFileThatItCannotMeasure) {
  Machine other = machine();
  other.thread_start_ps = 123'456;
  const ScopedMachine with_wake(other);
  EXPECT_EQ(tune_with(999, true), 0) << err_;
  EXPECT_THAT(read_file(file_), HasSubstr("wake = 123456\n"));
}

TEST_F(Tune, MeasuresWithMoreThreadsThanColumns) {
  EXPECT_EQ(message_of(tune_into(file_.string(), 65, true, false)), "");
}

}  // namespace
}  // namespace strew::app

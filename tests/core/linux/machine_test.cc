// Tests the user's machine file.
#include "core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "strew/testing.h"

namespace strew {
namespace {

// Calls ask_machine with STREW_MACHINE set to `file`. Returns the warning on standard error.
std::string warning_of(const std::string& file, Machine& found) {
  ::setenv("STREW_MACHINE", file.c_str(), 1);
  testing::internal::CaptureStderr();
  found = ask_machine();
  ::unsetenv("STREW_MACHINE");
  return testing::internal::GetCapturedStderr();
}

TEST(Machine, ReadsAMachineFileAndWarnsOfOthers) {
  const std::string path = testing::TempDir() + "strew_machine.txt";
  std::ofstream(path) << "processor = " << processor_name() << "\nwake = 12345\n";
  Machine found;
  EXPECT_EQ(warning_of(path, found), "");
  EXPECT_EQ(found.thread_start_ps, 12345);
  std::ofstream(path) << "wake = 12345\n";
  EXPECT_THAT(warning_of(path, found),
              testing::StartsWith("strew: the file in STREW_MACHINE is ignored: it lacks the line processor"));
  EXPECT_EQ(found.thread_start_ps, Machine().thread_start_ps);
  const std::string long_path = "/" + std::string(600, 'a');
  for (const std::string& none : {path + "/none", long_path}) {
    EXPECT_THAT(warning_of(none, found), testing::HasSubstr(" is ignored: it is not a readable regular file"));
  }
  EXPECT_EQ(warning_of("", found), "");
}

TEST(Machine, DoesNotWaitForANamedPipe) {
  const std::string path = testing::TempDir() + "strew_machine_pipe";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Machine found;
  EXPECT_THAT(warning_of(path, found), testing::HasSubstr("is ignored: it is not a readable regular file"));
  ::unlink(path.c_str());
}

TEST(Machine, FindsTheFileInTheConfigurationOfTheUser) {
  ::setenv("XDG_CONFIG_HOME", testing::TempDir().c_str(), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(machine_file(), testing::TempDir() + "/strew/machine.txt");
  EXPECT_EQ(ask_machine().thread_start_ps, Machine().thread_start_ps);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "no warning about a missing file";
  ::unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace strew

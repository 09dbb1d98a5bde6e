#include "apps/child.h"

#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

extern char** environ;

namespace strew::app {
namespace {

// An unnamed file for the child's output. A pipe could fill up while the other pipe is read.
using Capture = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, size);
  return text;
}

}  // namespace

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Ended run_program(const Words& arguments, const std::string& input) {
  Words words = joined({STREW_PROGRAM}, arguments);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const Capture in(std::tmpfile(), &std::fclose);
  std::fwrite(input.data(), 1, input.size(), in.get());
  std::rewind(in.get());
  const Capture out(std::tmpfile(), &std::fclose);
  const Capture err(std::tmpfile(), &std::fclose);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, STREW_PROGRAM, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {};

  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out.get()), content(err.get())};
}

std::string output_of(const Words& arguments, int code) {
  const Ended ended = run_program(arguments);
  EXPECT_EQ(ended.code, code) << ended.err;
  return ended.out;
}

nlohmann::json json_of(const Words& arguments) {
  return nlohmann::json::parse(run_program(joined(arguments, {"--json"})).out);
}

void expect_refused(const Words& arguments, const std::string& reason, int code) {
  const Ended ended = run_program(arguments);
  EXPECT_EQ(ended.code, code);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::StartsWith("strew: "));
  EXPECT_THAT(ended.err, ::testing::HasSubstr(reason));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

}  // namespace strew::app

// strew doctor: prints facts for a bug report, without paths or host names.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "measure_machine.h"
#include "program.h"
#include "strew/executor.h"
#include "strew/memory.h"
#include "strew/run.h"
#include "strew/testing.h"
#include "strew/version.h"

namespace strew::app {
namespace {

Json machine_values() {
  Json numbers = Json::object();
  for (const MachineNumber& number : machine_numbers()) numbers[number.name] = number.value;
  return numbers;
}

Json account(const DoctorOptions& options) {
  utsname system{};
  ::uname(&system);
  const char* const threads = std::getenv("STREW_NUM_THREADS");
  Json packages = Json::object();
  for (const std::string& package : options.packages) {
    const std::size_t equals = std::min(package.find('='), package.size());
    packages[package.substr(0, equals)] = package.substr(std::min(equals + 1, package.size()));
  }
  return {{"version", version()},
          {"commit", kCommit},
          {"compiler", __VERSION__},
          {"instruction_set", instruction_set()},
          {"processor", processor_name()},
          {"processors", usable_processors()},
          {"threads", default_executor().thread_count()},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"memory_cache_limit", memory_cache_limit()},
          {"scratch_limit", Limits().scratch_bytes},
          {"STREW_NUM_THREADS", threads != nullptr ? Json(one_line(threads)) : Json()},
          {"STREW_MACHINE", std::getenv("STREW_MACHINE") != nullptr ? Json("set") : Json()},
          {"packages", std::move(packages)},
          {"machine_numbers", machine_values()}};
}

}  // namespace

Result<int> run_command(const DoctorOptions& options) {
  const Json found = account(options);
  if (options.json) {
    print_json(found);
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  const Json flat = found.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (value.is_null()) continue;  // an unset variable, or no packages
    std::string name = path.substr(1);
    std::ranges::replace(name, '/', '.');
    rows.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  fmt::print("{}", columns_text(rows));
  return kSuccess;
}

}  // namespace strew::app

// Folders in the layout of ONNX's backend tests: found, run, judged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strew/error.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::app {

/// All folders that hold a model.onnx: `root` itself, or those at any depth below it, sorted. Links to folders are
/// not followed. kIo where a folder cannot be read.
Result<std::vector<std::filesystem::path>> find_tests(const std::filesystem::path& root);

struct TestSettings {
  bool exact = false;  ///< the same bits instead of tolerances
  bool allow_deprecated = false;
  Options run;
};

/// Runs one folder: model.onnx on each test_data_set_N, whose input_J.pb goes to input J of the model and whose
/// output_J.pb is what output J must be. An expect_error.txt beside the model, or in a data set in place of
/// outputs, says that the model, or its run on these inputs, must fail with a message that contains its text. A
/// data.json beside the model may hold "rtol" and "atol". Returns what went wrong, or nothing where the test
/// passed.
std::optional<std::string> run_test(const std::filesystem::path& folder, const TestSettings& settings);

}  // namespace strew::app

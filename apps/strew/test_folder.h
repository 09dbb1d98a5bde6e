// Finds, runs and checks folders in the layout of ONNX's backend tests.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strew/error.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::app {

/// Returns all folders with a model.onnx, sorted: `root` itself, or those at any depth below it. Does not follow
/// links to folders. Returns kIo if a folder cannot be read.
Result<std::vector<std::filesystem::path>> find_tests(const std::filesystem::path& root);

struct TestSettings {
  bool exact = false;  ///< compares bits instead of using tolerances
  bool allow_deprecated = false;
  Options run;
};

/// Runs one folder: model.onnx on each test_data_set_N, where input_J.pb is input J of the model and output_J.pb
/// the expected output J. An expect_error.txt beside the model, or in a data set instead of outputs, means that
/// the model, or its run on these inputs, must fail with a message that contains this file's text. A data.json
/// beside the model may have "rtol" and "atol". Returns the failure, or nullopt if the test passes.
std::optional<std::string> run_test(const std::filesystem::path& folder, const TestSettings& settings);

}  // namespace strew::app

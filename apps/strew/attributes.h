// The attributes of all operators as options of the command line, from the table of operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace strew::app {

/// Every attribute that an operator has, once, with the words of all of them: ONNX's, or those that ONNX has no
/// word for.
std::vector<AttributeInfo> attributes_of_onnx();
std::vector<AttributeInfo> attributes_beyond_onnx();

/// "--batch-dims"; "--no-include-self" for what is true unless it is said.
std::string option_name(const AttributeInfo& attribute);
/// What the help says of it.
std::string option_help(const AttributeInfo& attribute);

/// ONNX's attributes among those given.
NodeAttributes given_attributes(const AttributeOptions& options);

/// Refuses what the operator does not have, ONNX's attributes by the version.
Status check_attributes(std::string_view command, const OperatorVersion& op, const AttributeOptions& options);

/// Sets what is given. Elements are of the type of data, and go to `elements`, which must outlive the parameters.
Status set_attributes(CallParams& params, const AttributeOptions& options, DType data,
                      std::vector<Tensor>& elements);

}  // namespace strew::app

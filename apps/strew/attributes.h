// Attributes of all operators as command line options, from the table of operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace strew::app {

/// Returns ONNX's attributes, or the extensions, of all operators: each once, with the values of all operators.
std::vector<AttributeInfo> attributes_of_onnx();
std::vector<AttributeInfo> attributes_beyond_onnx();

/// Returns "--batch-dims", or "--no-include-self" for an attribute that is true by default.
std::string option_name(const AttributeInfo& attribute);
/// Returns the help text of the option.
std::string option_help(const AttributeInfo& attribute);

/// Returns the given attributes that ONNX has.
NodeAttributes given_attributes(const AttributeOptions& options);

/// Rejects extensions that the operator lacks, and ONNX's attributes that this version lacks.
Status check_attributes(std::string_view command, const OperatorVersion& op, const AttributeOptions& options);

/// Sets the given attributes. An element, such as alpha, has the type of data; `elements` owns it and must outlive
/// the parameters.
Status set_attributes(CallParams& params, const AttributeOptions& options, DType data,
                      std::vector<Tensor>& elements);

}  // namespace strew::app

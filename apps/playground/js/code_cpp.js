// Writes the call in C++.

import {changed, dataOf, given, isScalar, quoted} from "./code_parts.js";

const CPP = {
  float32: "float", float64: "double", int8: "std::int8_t", int16: "std::int16_t", int32: "std::int32_t",
  int64: "std::int64_t", uint8: "std::uint8_t", uint16: "std::uint16_t", uint32: "std::uint32_t",
  uint64: "std::uint64_t", complex64: "std::complex<float>", complex128: "std::complex<double>", string: "std::string",
};

const kName = (value) => `k${value.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("")}`;

function cppElement(dtype) {
  return (value) => {
    const name = CPP[dtype];
    if (dtype === "string") return quoted(value);
    if (dtype.startsWith("complex")) {
      const parts = /^([-+]?[^j]*?)(?:([-+][^-+]*(?:e[-+]\d+)?)j)?$/.exec(value);
      if (value.endsWith("j") && parts?.[2] === undefined) return `{0, ${value.slice(0, -1)}}`;
      return `{${parts[1]}, ${parts[2] ?? 0}}`;
    }
    if (/nan|inf/.test(value)) {
      const sign = value.startsWith("-") ? "-" : "";
      return `${sign}std::numeric_limits<${name}>::${/nan/.test(value) ? "quiet_NaN" : "infinity"}()`;
    }
    return value.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1").replace(/^-9223372036854775808$/, "INT64_MIN");
  };
}

const CPP_ENUM = {reduction: "Reduction", mode: "WriteMode", acc_dtype: "AccDType"};
const isRule = (attribute) => attribute.name === "out_of_bounds" || attribute.name === "negative_indices";

export function cpp(call) {
  const unknown = given(call).map(({name}) => call.operands[name].dtype).find((dtype) => !CPP[dtype]);
  if (unknown) return `// This page writes no C++ for ${unknown}; docs/cpp.md describes how to make views of its elements.`;
  const lines = ["#include <complex>", "#include <iostream>", "#include <limits>", "#include <string>", "#include <vector>", "",
    "#include <strew/strew.h>", "", "int main() {"];
  for (const {name} of given(call)) {
    const {dtype, shape, values} = call.operands[name];
    lines.push(`  const std::vector<${CPP[dtype]}> ${name}_values{${values.map(cppElement(dtype)).join(", ")}};`);
    lines.push(`  const strew::TensorView ${name}(${name}_values, {${shape.join(", ")}});`);
  }
  const options = changed(call).filter((one) => !isRule(one)).map((one) => {
    const value = call.attributes[one.name];
    if (isScalar(one)) {
      const {dtype} = dataOf(call);
      lines.push(`  const std::vector<${CPP[dtype]}> ${one.name}_values{${cppElement(dtype)(value)}};`);
      lines.push(`  const strew::TensorView ${one.name}(${one.name}_values, strew::Shape{});`);
      return `.${one.name} = ${one.name}`;
    }
    if (one.name in CPP_ENUM) return `.${one.name} = strew::${CPP_ENUM[one.name]}::${kName(value)}`;
    return `.${one.name} = ${value}`;
  });
  if (changed(call).some(isRule)) {
    const {out_of_bounds: outside, negative_indices: negative} = call.attributes;
    const rules = `.rules = {strew::OutOfBounds::${kName(outside)}, strew::NegativeIndices::${kName(negative)}}`;
    const own = options.findIndex((option) => /^\.(include_self|acc_dtype|alpha|fill_value) /.test(option));
    options.splice(own < 0 ? options.length : own, 0, rules); // in the order of the struct's members
  }
  const names = given(call).map(({name}) => name);
  if (call.operator === "TensorScatter" && names.length === 2 && options.length) names.push("std::nullopt");
  const all = [...names, ...(options.length ? [`{${options.join(", ")}}`] : [])];
  lines.push(
    `  const auto output = strew::${call.entry.function}(${all.join(", ")});`,
    "  if (!output) return std::cerr << output.error().message() << '\\n', 1;",
    `  for (const auto& x : output->values<${CPP[dataOf(call).dtype]}>()) std::cout << ${/^u?int8$/.test(dataOf(call).dtype) ? "+x" : "x"} << ' ';`,
    "}");
  return lines.join("\n");
}

// The manual page in the macros of man(7).
#include "man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "strew/operators.h"
#include "strew/version.h"

namespace strew::app {
namespace {

// Escapes text so that it has no macros.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool starts_line = safe.empty() || safe.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe;
}

// Paragraphs of --help: lines with leading blanks are verbatim, others flow.
std::string paragraphs(const std::string& footer) {
  std::string page;
  bool as_is = false;
  const auto turn = [&](bool wanted) {
    if (as_is != wanted) page += wanted ? ".PP\n.nf\n" : ".fi\n.PP\n";
    as_is = wanted;
  };
  std::size_t begin = 0;
  while (begin < footer.size()) {
    const std::size_t end = std::min(footer.find('\n', begin), footer.size());
    const std::string line = footer.substr(begin, end - begin);
    begin = end + 1;
    turn(line.starts_with("  "));
    page += line.empty() ? ".PP\n" : escaped(line) + '\n';
  }
  turn(false);
  return page;
}

// ".TP", the names of an option in bold with its value in italics, and its description.
std::string option_text(const CLI::Option& option) {
  std::vector<std::string> names = dashed_names(option);
  for (std::string& name : names) name = fmt::format("\\fB{}\\fR", escaped(name));
  if (names.empty()) names.push_back(fmt::format("\\fI{}\\fR", escaped(option.get_name())));
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  const std::string value = type.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(type));
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, escaped(option.get_description()));
}

std::string command_text(const CLI::App& command) {
  std::string usage;
  std::string options;
  for (const CLI::Option* option : command.get_options()) {
    options += option_text(*option);
    if (!dashed_names(*option).empty()) continue;
    const std::string name = escaped(option->get_name());
    const std::string more = option->get_expected_max() > 1 ? "..." : "";
    usage += option->get_required() ? fmt::format(" \\fI{}\\fR{}", name, more)
                                    : fmt::format(" [\\fI{}\\fR{}]", name, more);
  }
  return fmt::format(".SS {0}\n\\fBstrew {0}\\fR{1} [\\fIOPTIONS\\fR]\n.PP\n{2}.\n{3}.PP\n{4}", command.get_name(),
                     usage, escaped(command.get_description()), options, paragraphs(command.get_footer()));
}

std::string operator_text(const OperatorInfo& op) {
  std::vector<std::int64_t> versions;
  for (const OperatorVersion& version : operator_versions()) {
    if (version.op_type == op.op_type) versions.push_back(version.since_version);
  }
  std::vector<std::string> inputs;
  for (const InputInfo& input : op.inputs)
    inputs.push_back(input.optional ? fmt::format("[{}]", input.name) : std::string(input.name));
  std::vector<std::string> attributes;
  for (const AttributeInfo& attribute : op.attributes) {
    attributes.push_back(attribute.legal_strings.empty()
                             ? std::string(attribute.name)
                             : fmt::format("{} ({})", attribute.name, fmt::join(attribute.legal_strings, ", ")));
  }
  return fmt::format(".TP\n\\fB{}\\fR ({})\n{}\nInputs: {}. Attributes: {}.\n", op.op_type,
                     fmt::join(versions, ", "), escaped(op.doc),
                     escaped(fmt::format("{}", fmt::join(inputs, ", "))),
                     escaped(fmt::format("{}", fmt::join(attributes, "; "))));
}

}  // namespace

std::string man_page(const OptionTable& table) {
  const CLI::App& main = table.main;
  std::string page = fmt::format(
      ".TH STREW 1 \"\" \"strew {}\" \"User Commands\"\n.SH NAME\nstrew \\- run, check and time ONNX gathers and "
      "scatters\n.SH SYNOPSIS\n\\fBstrew\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      version(), escaped(main.get_description()));
  for (const CLI::Option* option : main.get_options()) page += option_text(*option);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : main.get_subcommands({})) page += command_text(*command);
  page += ".SH OPERATORS\nEach with the opsets that changed it.\n";
  for (const OperatorInfo& op : operators()) page += operator_text(op);
  page += ".SH EXAMPLES AND EXIT CODES\n" + paragraphs(main.get_footer());
  return page;
}

}  // namespace strew::app

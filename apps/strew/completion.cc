// strew completion: prints the script with which a shell completes commands, options and values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "option_table.h"

namespace strew::app {
namespace {

// How to complete the value of an option.
enum class Value : std::uint8_t { kNone, kWords, kFile, kUnknown };

Value value_of(const OptionTable& table, const CLI::Option& option) {
  if (option.get_type_size() == 0) return Value::kNone;
  if (!table.words_of(&option).empty()) return Value::kWords;
  const bool is_argument = dashed_names(option).empty();
  return is_argument || takes_file(option) ? Value::kFile : Value::kUnknown;
}

std::string dashed_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (std::string& name : dashed_names(*option)) words.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// "    op:--axis|op:--repeat) return ;;": completes the value of an option before the cursor.
std::string bash_case(const OptionTable& table, const CLI::App& command, const CLI::Option& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : dashed_names(option)) patterns.push_back(command.get_name() + ":" + name);
  std::string act;
  switch (value_of(table, option)) {
    case Value::kNone:
      return "";
    case Value::kWords:
      act = fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return",
                        fmt::join(table.words_of(&option), " "));
      break;
    case Value::kFile:
      act = "_strew_files; return";
      break;
    case Value::kUnknown:
      act = "return";
  }
  return fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), act);
}

std::string bash_script(const OptionTable& table) {
  std::string values;
  std::string options;
  std::string firsts;
  for (const CLI::App* command : table.main.get_subcommands({})) {
    options += fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), dashed_words(*command));
    bool is_first = true;
    for (const CLI::Option* option : command->get_options()) {
      if (!dashed_names(*option).empty()) {
        values += bash_case(table, *command, *option);
      } else if (is_first) {
        is_first = false;
        const auto& words = table.words_of(option);
        if (!words.empty())
          firsts += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), fmt::join(words, " "));
      }
    }
  }
  return fmt::format(R"(# bash completion for strew, as 'strew completion bash' prints it.
_strew_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}}
_strew() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local options="" words=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} {}" -- "$cur"))
    return
  fi
  if [[ $cur == "=" ]]; then cur="" before="="; fi
  if [[ $before == "=" ]]; then
    _strew_files
    return
  fi
  case $command:$before in
{}  esac
  case $command in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  case $command in
{}  esac
  if ((COMP_CWORD == 2)) && [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
  if ((${{#COMPREPLY[@]}} == 0)) && [[ $command != help && $command != completion && $command != ops ]]; then
    _strew_files
  fi
}}
complete -F _strew strew
)",
                     fmt::join(table.commands(), " "), dashed_words(table.main), values, options, firsts);
}

// Text for the brackets of an _arguments specification, in single quotes.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_value(const OptionTable& table, const CLI::Option& option) {
  const std::string type = option.get_type_name().empty() ? option.get_name() : option.get_type_name();
  const std::string name = zsh_text(type);
  switch (value_of(table, option)) {
    case Value::kNone:
      return "";
    case Value::kWords:
      return fmt::format(":{}:({})", name, fmt::join(table.words_of(&option), " "));
    case Value::kFile:
      return fmt::format(":{}:{}", name, type.find('=') == std::string::npos ? "_files" : "_strew_named_file");
    default:
      return fmt::format(":{}:", name);
  }
}

// Specifications for _arguments, one per name of an option.
std::string zsh_option(const OptionTable& table, const CLI::Option& option) {
  const auto names = dashed_names(option);
  const bool many = option.get_expected_max() > 1 || option.get_items_expected_max() > 1;
  if (names.empty()) {
    const std::string value = zsh_value(table, option);
    return fmt::format("        '{}{}'\n", many ? "*" : "", value);
  }
  std::string lines;
  for (const std::string& name : names) {
    lines += fmt::format("        '{}{}[{}]{}'\n", many ? "*" : "", name, zsh_text(option.get_description()),
                         zsh_value(table, option));
  }
  return lines;
}

std::string zsh_script(const OptionTable& table) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : table.main.get_subcommands({})) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
    std::string options;
    for (const CLI::Option* option : command->get_options()) options += zsh_option(table, *option);
    cases += fmt::format("    {})\n      options=(\n{}      ) ;;\n", command->get_name(), options);
  }
  return fmt::format(R"(#compdef strew
# zsh completion for strew, as 'strew completion zsh' prints it.
_strew_named_file() {{
  compset -P '*=' && _files
}}
_strew() {{
  local -a commands options
  commands=(
{})
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case $words[2] in
{}  esac
  shift words
  ((CURRENT--))
  _arguments $options
}}
if [[ $funcstack[1] == _strew ]]; then
  _strew "$@"
else
  compdef _strew strew
fi
)",
                     commands, cases);
}

}  // namespace

Result<int> run_command(const CompletionOptions& options) {
  const OptionTable table;
  if (options.shell == "bash") {
    fmt::print("{}", bash_script(table));
  } else if (options.shell == "zsh") {
    fmt::print("{}", zsh_script(table));
  } else {
    static constexpr std::array<std::string_view, 2> kShells = {"bash", "zsh"};
    return fail(ErrorCode::kInvalidArgument, "no completion for the shell '{}'{}", options.shell,
                choices_text(options.shell, kShells));
  }
  return kSuccess;
}

}  // namespace strew::app

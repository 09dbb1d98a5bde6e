// strew completion and strew help: print texts generated from the table of options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "option_table.h"

namespace strew::app {
namespace {

std::string dashed_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (std::string& name : dashed_names(*option)) words.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// Returns the script's case for the value of an option: "    op:-o|op:--output) _strew_files; return ;;".
std::string bash_case(const OptionTable& table, const CLI::App& command, const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::vector<std::string> patterns;
  for (const std::string& name : dashed_names(option)) patterns.push_back(command.get_name() + ":" + name);
  const std::vector<std::string>& words = table.find_words(&option);
  std::string act = takes_file(option) ? "_strew_files; return" : "return";
  if (!words.empty())
    act = fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return", fmt::join(words, " "));
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
        const auto& words = table.find_words(option);
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

}  // namespace

Result<int> run_command(const CompletionOptions& options) {
  if (options.shell != "bash") {
    static constexpr std::array<std::string_view, 1> kShells = {"bash"};
    return fail(ErrorCode::kInvalidArgument, "no completion for the shell '{}'{}", options.shell,
                choices_text(options.shell, kShells));
  }
  fmt::print("{}", bash_script(OptionTable()));
  return kSuccess;
}

Result<int> run_command(const HelpOptions& options) {
  const OptionTable table;
  if (options.command.empty()) {
    fmt::print("{}", table.main.help());
    return kSuccess;
  }
  const auto commands = table.commands();
  if (std::ranges::find(commands, options.command) == commands.end()) {
    return fail(ErrorCode::kInvalidArgument, "no command '{}'{}", options.command,
                choices_text(options.command, commands));
  }
  fmt::print("{}", table.main.get_subcommand(options.command)->help(table.main.get_name()));
  return kSuccess;
}

}  // namespace strew::app

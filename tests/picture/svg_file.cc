#include "picture/svg_file.h"

#include <cctype>
#include <set>
#include <vector>

#include "core/utf8.h"

namespace strew::support {
namespace {

std::string fault_of_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto code = next_utf8(text, at);
    if (!code) return "no UTF-8";
    if (*code < 0x20 && *code != '\n') return "a control character";
    if (*code == 0xFFFE || *code == 0xFFFF) return "no character";
    if (*code != '&') continue;
    bool known = false;
    for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
      known = known || text.substr(begin).starts_with(entity);
    }
    if (!known) return "a bare &";
  }
  return text.find_first_of("<>") == std::string_view::npos ? "" : "bare markup";
}

// Returns the error in a tag, or "". `tag` is the text between the brackets: a name, then attributes.
std::string fault_of_tag(std::string_view tag, std::string& name) {
  std::size_t at = 0;
  while (at < tag.size() && (std::isalnum(static_cast<unsigned char>(tag[at])) != 0)) ++at;
  name = tag.substr(0, at);
  if (name.empty()) return "a tag without a name";
  std::set<std::string_view> seen;
  while (at < tag.size()) {
    if (tag[at] != ' ') return "no space before an attribute";
    const std::size_t equals = tag.find("=\"", at);
    if (equals == std::string_view::npos) return "an attribute without a value";
    const std::size_t end = tag.find('"', equals + 2);
    if (end == std::string_view::npos) return "a quote that is not closed";
    if (!seen.insert(tag.substr(at + 1, equals - at - 1)).second) return "an attribute twice";
    const std::string fault = fault_of_text(tag.substr(equals + 2, end - equals - 2));
    if (!fault.empty()) return fault;
    at = end + 1;
  }
  return "";
}

}  // namespace

std::string fault_of_xml(std::string_view xml) {
  std::vector<std::string> open;
  bool any = false;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      const std::size_t end = std::min(xml.find('<', at), xml.size());
      const std::string fault = fault_of_text(xml.substr(at, end - at));
      if (!fault.empty()) return fault;
      at = end;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return "a tag that is not closed";
    std::string_view tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "a closing tag that nothing opened";
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    if (open.empty() && any) return "a second root";
    any = true;
    std::string name;
    const std::string fault = fault_of_tag(tag, name);
    if (!fault.empty()) return fault + " in <" + std::string(tag) + '>';
    if (!empty) open.push_back(name);
  }
  return open.empty() && any ? "" : "a tag that is not closed";
}

std::map<std::string, std::string> cells_of(std::string_view svg, std::string_view operand) {
  std::map<std::string, std::string> cells;
  const std::string begins = "data-operand=\"" + std::string(operand) + '"';
  const std::size_t begin = svg.find(begins);
  if (begin == std::string_view::npos) return cells;
  std::string_view part = svg.substr(begin + begins.size());
  part = part.substr(0, part.find("data-operand="));
  constexpr std::string_view kAt = "data-at=\"";
  for (std::size_t at = part.find(kAt); at != std::string_view::npos; at = part.find(kAt, at)) {
    at += kAt.size();
    const std::string place(part.substr(at, part.find('"', at) - at));
    const std::size_t text = part.find('>', part.find("<text", at)) + 1;
    cells[place] = part.substr(text, part.find('<', text) - text);
  }
  return cells;
}

}  // namespace strew::support

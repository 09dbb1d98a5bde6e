#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "provider.h"

namespace strew::ort {
namespace {

struct Kept {
  std::size_t node_count = 0;
  std::vector<Verdict> verdicts;
};

struct Placements {
  std::mutex mutex;
  std::map<std::string, Kept> by_session;
};

// Returns an object that is never destroyed, since a session may outlive the program's static objects.
Placements& placements() {
  static auto* all = new Placements;
  return *all;
}

constexpr char kFieldEnd = '\x1f';
constexpr char kLineEnd = '\x1e';

// Returns the number of examined nodes and the verdicts, each followed by 0x1E; an empty string if no graph of the
// session was examined. A verdict consists of operator, node, reason and `unfused_reason`, separated by 0x1F.
std::string placement_text(const std::string& session) {
  Placements& all = placements();
  const std::lock_guard lock(all.mutex);
  std::string text;
  const auto found = all.by_session.find(session);
  if (found == all.by_session.end()) return text;
  text += std::to_string(found->second.node_count) + kLineEnd;
  for (const Verdict& verdict : found->second.verdicts) {
    text += verdict.op_type + kFieldEnd + verdict.node + kFieldEnd + verdict.reason + kFieldEnd +
            verdict.unfused_reason + kLineEnd;
  }
  return text;
}

}  // namespace

void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts, std::size_t node_count) {
  Placements& all = placements();
  const std::lock_guard lock(all.mutex);
  Kept& of_session = all.by_session[session];
  of_session.node_count += node_count;
  std::vector<Verdict>& kept = of_session.verdicts;
  for (const Verdict& verdict : verdicts) {
    const auto known = std::ranges::find_if(kept, [&](const Verdict& earlier) {
      return earlier.output == verdict.output && earlier.node == verdict.node &&
             earlier.op_type == verdict.op_type;
    });
    if (known == kept.end()) {
      kept.push_back(verdict);
    } else {
      *known = verdict;
    }
  }
}

void forget_placement(const std::string& session) {
  Placements& all = placements();
  const std::lock_guard lock(all.mutex);
  all.by_session.erase(session);
}

}  // namespace strew::ort

// Writes the text of `placement_text` for the session whose option `placement` is `session`, if `size` bytes
// suffice. Returns the size of the text in bytes.
extern "C" __attribute__((visibility("default"))) std::size_t StrewPlacement(const char* session, char* buffer,
                                                                             std::size_t size) noexcept {
  try {
    const std::string text = strew::ort::placement_text(session);
    if (text.size() <= size) std::ranges::copy(text, buffer);
    return text.size();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

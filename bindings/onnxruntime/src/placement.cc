// What was claimed and what not, kept for whoever wants to know.
#include "placement.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "exports.h"

namespace strew::ort {
namespace {

struct Placements {
  std::mutex mutex;
  std::map<std::string, std::vector<Verdict>, std::less<>> by_session;
};

// Never destroyed: a session may outlive the end of the program's static objects.
Placements& placements() {
  static auto* all = new Placements;
  return *all;
}

constexpr char kFieldEnd = '\x1f';
constexpr char kLineEnd = '\x1e';

}  // namespace

void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts) {
  Placements& all = placements();
  const std::lock_guard lock(all.mutex);
  std::vector<Verdict>& kept = all.by_session[session];
  for (const Verdict& verdict : verdicts) {
    const auto known = std::ranges::find_if(kept, [&](const Verdict& earlier) {
      return !earlier.node.empty() && earlier.node == verdict.node && earlier.op_type == verdict.op_type;
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

const char* StrewPlacement(const char* session) noexcept {
  using strew::ort::kFieldEnd;
  using strew::ort::kLineEnd;
  thread_local std::string text;
  text.clear();
  strew::ort::Placements& all = strew::ort::placements();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_session.find(std::string_view(session));
  if (found == all.by_session.end()) return "";
  for (const strew::ort::Verdict& verdict : found->second) {
    text += verdict.op_type + kFieldEnd + verdict.node + kFieldEnd + verdict.reason + kLineEnd;
  }
  return text.c_str();
}

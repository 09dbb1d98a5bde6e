// A recursive-descent parser for the dictionary of a .npy header, which has three keys.
#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "io/npy_header.h"

namespace strew {
namespace {

class DictParser {
 public:
  DictParser(std::string_view text, std::int64_t offset) : text_(text), offset_(offset) {}

  Result<NpyDict> parse() {
    STREW_TRY(expect('{'));
    while (!accept('}')) {
      STREW_TRY(entry());
      if (accept(',')) continue;
      STREW_TRY(expect('}'));
      break;
    }
    skip_space();
    if (at_ < text_.size()) return wrong("the end of the header");
    const bool complete = has_descr_ && has_order_ && has_shape_;
    if (!complete) {
      return fail(ErrorCode::kInvalidModel, "the header lacks the key ",
                  !has_descr_ ? "'descr'" : (!has_order_ ? "'fortran_order'" : "'shape'"));
    }
    return std::move(dict_);
  }

 private:
  Status entry() {
    const std::size_t start = at_;
    STREW_ASSIGN(auto&& key, string());
    STREW_TRY(expect(':'));
    bool* seen = key == "descr"           ? &has_descr_
                 : key == "fortran_order" ? &has_order_
                 : key == "shape"         ? &has_shape_
                                          : nullptr;
    if (seen == nullptr || *seen) {
      at_ = start;
      return wrong(seen == nullptr ? "'descr', 'fortran_order' or 'shape'" : "each key only once");
    }
    *seen = true;
    if (seen == &has_descr_) return descr();
    return seen == &has_order_ ? order() : shape();
  }

  Status descr() {
    skip_space();
    if (peek() == '[' || peek() == '(') {
      return fail(ErrorCode::kUnsupported, "structured element types (records) are not supported");
    }
    STREW_ASSIGN(dict_.descr, string());
    return {};
  }

  Status order() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      dict_.fortran_order = word == "True";
      return {};
    }
    return wrong("True or False");
  }

  Status shape() {
    STREW_TRY(expect('('));
    bool comma = true;  // in Python `(3)` is a number and `(3,)` a tuple
    while (!accept(')')) {
      if (!comma) return wrong("',' or ')'");
      STREW_ASSIGN(const auto& dim, integer());
      dict_.shape.push_back(dim);
      comma = accept(',');
    }
    if (dict_.shape.rank() == 1 && !comma) {
      --at_;
      return wrong("',' (a tuple of one is written (3,))");
    }
    return {};
  }

  // White space must have been skipped. No known key or type needs escapes.
  Result<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return wrong("a string");
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\\\n", begin);
    at_ = end == std::string_view::npos ? text_.size() : end;
    if (peek() != quote) return wrong("the end of a string without escapes");
    ++at_;
    return std::string(text_.substr(begin, end - begin));
  }

  // White space must have been skipped.
  Result<std::int64_t> integer() {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    const std::string_view digits = text_.substr(at_, end - at_);
    if (digits.empty()) return wrong("a dimension (0 or more)");
    if (digits.size() > 1 && digits[0] == '0') return wrong("a number without leading zeros");
    std::int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
      return wrong("a dimension below 2^63", digits.size());
    }
    at_ = end;
    accept('L');  // a Python 2 long
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    skip_space();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  Status expect(char c) {
    if (accept(c)) return {};
    return wrong(std::string{'\'', c, '\''});
  }
  tl::unexpected<Error> wrong(std::string_view expected, std::size_t length = 1) const {
    return fail(ErrorCode::kInvalidModel, "header, byte ", offset_ + static_cast<std::int64_t>(at_), ": expected ",
                expected, ", found ", at_ < text_.size() ? quoted(text_.substr(at_, length)) : "the end");
  }

  std::string_view text_;
  std::int64_t offset_;
  std::size_t at_ = 0;
  NpyDict dict_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

Result<NpyDict> parse_npy_dict(std::string_view text, std::int64_t offset) {
  return DictParser(text, offset).parse();
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > 40) result += "...";
  return result += '\'';
}

}  // namespace strew

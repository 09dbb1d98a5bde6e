// External data: checks a location and opens it safely.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "io/file.h"
#include "onnx/tensor_message.h"

namespace strew {
namespace {

constexpr std::size_t kLongestLocation = 4096;
constexpr std::size_t kMaxDigits = 20;
constexpr int kMaxTries = 100;  // attempts to open a path whose folders are renamed at the same time

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int number) noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

Result<std::uint64_t> parse_number(std::string_view key, std::string_view text) {
  std::uint64_t number = 0;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (digits && text.size() <= kMaxDigits) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc()) return number;
  }
  return fail(ErrorCode::kInvalidModel, "external_data ", key, " '", text.substr(0, 2 * kMaxDigits),
              "' is not a decimal number below 2^64");
}

// Returns the offset. Fails if there is a length other than `size`.
Result<std::uint64_t> check_numbers(const ExternalData& data, std::uint64_t size) {
  if (data.length) {
    auto length = parse_number("length", *data.length);
    if (!length) return length;
    if (*length != size) {
      return fail(ErrorCode::kInvalidModel, "external_data length is ", *length, "; the tensor needs ", size,
                  " bytes");
    }
  }
  return data.offset ? parse_number("offset", *data.offset) : 0;
}

bool has_drive_letter(std::string_view path) noexcept {
  if (path.size() < 2 || path[1] != ':') return false;
  return (path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z');
}

// Returns why a location is illegal, or "" if it is legal. The rules are the same on all systems.
std::string_view find_fault(std::string_view location) noexcept {
  if (location.empty()) return "is empty";
  if (location.find('\0') != std::string_view::npos) return "contains a NUL byte";
  if (location.find('\\') != std::string_view::npos) return "contains a backslash";
  if (location.front() == '/' || has_drive_letter(location)) return "is not relative to the model's folder";
  if (location.find("//") != std::string_view::npos) return "contains '//'";
  for (std::size_t at = 0; at < location.size();) {
    const std::size_t end = std::min(location.find('/', at), location.size());
    if (location.substr(at, end - at) == "..") return "contains '..'";
    at = end + 1;
  }
  return "";
}

Status check_location(const std::string& location) {
  if (location.size() > kLongestLocation) {
    return fail(ErrorCode::kInvalidModel, "external_data location has ", location.size(), " bytes; at most ",
                kLongestLocation, " are allowed");
  }
  const auto fault = find_fault(location);
  if (fault.empty()) return {};
  return fail(ErrorCode::kInvalidModel, "external_data location '", location, "' ", fault);
}

tl::unexpected<Error> open_failure(const std::string& location, std::string_view part) {
  const int reason = errno;
  if (reason == ELOOP || reason == ENOTDIR) {
    return fail(ErrorCode::kInvalidModel, "external_data location '", location, "': '", part,
                "' is a symbolic link or not a folder; links are followed only if links_within "
                "(--links-within) names a folder that contains them");
  }
  return fail(ErrorCode::kIo, "external_data location '", location, "': cannot open '", part,
              "': ", std::generic_category().message(reason));
}

// Opens the location one name at a time, each in the folder opened before it, and follows no links. So no link
// can lead out of `folder`, even one created during the call. With O_NONBLOCK, opening a FIFO does not block.
Status open_below(const std::filesystem::path& folder, const std::string& location, Descriptor& file) {
  const std::string start = folder.empty() ? "." : folder.string();
  file.reset(::open(start.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.number() < 0) return open_failure(location, start);
  for (std::size_t at = 0; at < location.size();) {
    const std::size_t end = std::min(location.find('/', at), location.size());
    const std::string part = location.substr(at, end - at);
    const int kind = end < location.size() ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY;
    const int next = ::openat(file.number(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind);
    if (next < 0) return open_failure(location, part);
    file.reset(next);
    at = end + 1;
  }
  return {};
}

// Opens the folder that links must not leave.
Status open_root(const std::filesystem::path& root, Descriptor& top) {
  top.reset(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (top.number() >= 0) return {};
  return fail(ErrorCode::kInvalidArgument, "links_within '", root.string(),
              "' cannot be opened: ", std::generic_category().message(errno),
              "; it must be a folder that contains the model");
}

// Opens the location and follows links. Linux ensures that no link leaves `root`, even if links change.
Status open_within(const std::filesystem::path& root, const std::filesystem::path& folder,
                   const std::string& location, Descriptor& file) {
  Descriptor top(-1);
  STREW_TRY(open_root(root, top));
  std::error_code error;
  const auto start = std::filesystem::relative(folder.empty() ? "." : folder, root, error);
  if (error || start.empty() || *start.begin() == "..") {
    return fail(ErrorCode::kInvalidArgument, "the model's folder '", folder.empty() ? "." : folder.string(),
                "' is not within links_within '", root.string(), "', which must contain it");
  }
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string path = (start / location).string();
  for (int i = 0; i < kMaxTries; ++i) {
    file.reset(static_cast<int>(::syscall(SYS_openat2, top.number(), path.c_str(), &how, sizeof how)));
    if (file.number() >= 0) return {};
    if (errno != EAGAIN && errno != EINTR) break;
  }
  const bool outside = errno == EXDEV;
  if (!outside && errno != ELOOP) return open_failure(location, path);
  return fail(ErrorCode::kInvalidModel, "external_data location '", location, "': '", path, "' is a link that ",
              outside ? "is absolute or leads out of" : "leads into a cycle in", " links_within '", root.string(),
              "'; only relative links that stay in it are followed");
}

Status check_file(const std::string& location, const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return open_failure(location, location);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidModel, "external_data location '", location, "' is not a regular file");
  }
  if (status.st_nlink != 1) {
    return fail(ErrorCode::kInvalidModel, "external_data location '", location, "' has ", status.st_nlink,
                " hard links; only files with one hard link are read");
  }
  return {};
}

Result<std::shared_ptr<const FileBytes>> open_file(const std::string& location,
                                                   const std::filesystem::path& folder,
                                                   const std::optional<std::filesystem::path>& links_within) {
  Descriptor descriptor(-1);
  STREW_TRY(links_within ? open_within(*links_within, folder, location, descriptor)
                         : open_below(folder, location, descriptor));
  STREW_TRY(check_file(location, descriptor));
  return FileBytes::open(descriptor.number(), location);
}

}  // namespace

Result<ExternalBytes> open_external_data(const ExternalData& data, const std::filesystem::path& folder,
                                         const std::optional<std::filesystem::path>& links_within,
                                         std::int64_t size_bytes, ExternalFiles& files) {
  if (!data.location) return fail(ErrorCode::kInvalidModel, "external_data has no location");
  const std::string& location = *data.location;
  STREW_TRY(check_location(location));
  const auto size = static_cast<std::uint64_t>(size_bytes);
  STREW_ASSIGN(const auto& offset, check_numbers(data, size));

  auto known = files.find(location);
  if (known == files.end()) {
    STREW_ASSIGN(const auto& file, open_file(location, folder, links_within));
    known = files.emplace(location, file).first;
  }
  const std::shared_ptr<const FileBytes>& file = known->second;
  const auto bytes = file->bytes();
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return fail(ErrorCode::kInvalidModel, "external_data needs ", size, " bytes at offset ", offset, " of '",
                location, "', which has ", bytes.size(), " bytes");
  }
  return ExternalBytes{file, bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size))};
}

}  // namespace strew

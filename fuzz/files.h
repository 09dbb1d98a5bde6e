// Files for fuzzers.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace strew::fuzz {

/// A file in memory, with a path to open it by.
class NamelessFile {
 public:
  explicit NamelessFile(std::span<const std::uint8_t> bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  ~NamelessFile() { ::close(descriptor_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A temporary folder for external data, with files, links and a pipe that a model's locations can name.
class ExternalFolder {
 public:
  ExternalFolder() {
    namespace fs = std::filesystem;
    std::string name = (fs::temp_directory_path() / "strew_fuzz.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    fs::create_directory(path_ / "d");
    for (const char* file : {"w", "d/w", "h"}) std::ofstream(path_ / file) << std::string(64, '\1');
    fs::create_symlink("w", path_ / "l");
    fs::create_directory_symlink("d", path_ / "e");
    fs::create_symlink("/etc/passwd", path_ / "o");
    fs::create_hard_link(path_ / "h", path_ / "i");
    ::mkfifo((path_ / "f").c_str(), 0600);
  }
  ~ExternalFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ExternalFolder(const ExternalFolder&) = delete;
  ExternalFolder& operator=(const ExternalFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace strew::fuzz

// Files for tests: a temporary folder, reading and writing bytes, and hand-made .npy files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace strew {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "strew_test.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, creates its folders and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// A test with its own folder, which is removed at the end.
class InTempDir : public ::testing::Test {
 protected:
  const TempDir dir_;
};

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::remove(path);  // some file systems sync a file that is truncated and rewritten
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Returns a .npy file with this dictionary, without padding.
inline std::string npy_with(std::string_view dict, std::string_view data, char major = 1) {
  std::string file("\x93NUMPY");
  file += {major, '\0', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  if (major > 1) file += std::string(2, '\0');
  file += dict;
  return file += data;
}

/// Returns a .npy file, in C order unless `fortran` is set.
inline std::string npy_of(const std::string& descr, const std::string& shape, std::string_view data,
                          bool fortran = false) {
  return npy_with("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                      ", 'shape': " + shape + ", }\n",
                  data);
}

}  // namespace strew

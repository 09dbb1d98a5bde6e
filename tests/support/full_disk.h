// FullDisk: writing files fails as on a full disk.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace strew::support {

/// While it lives, no file grows beyond `room` bytes, in this process and in its children.
class FullDisk {
 public:
  explicit FullDisk(rlim_t room) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &usual_);
    const rlimit small{room, usual_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &usual_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*signal_)(int);
  rlimit usual_{};
};

}  // namespace strew::support

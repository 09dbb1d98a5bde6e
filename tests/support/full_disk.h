// FullDisk: makes writes to files fail as on a full disk.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace strew::support {

/// During the object's lifetime, no file of this process and its children can grow beyond `room` bytes.
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

// Cooperative cancellation: kernels poll a flag and stop when it is set.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace sightline::runtime {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Any thread may set it; every kernel that holds it reads it.
class StopFlag {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

// Kernels call it every few thousand steps. It reads the flag each time, but calls `ask`, which may be
// expensive (it takes the GIL), at most every 50 ms.
class StopPoll {
 public:
  StopPoll() = default;
  StopPoll(const StopFlag* flag, std::function<bool()> ask) : flag_(flag), ask_(std::move(ask)) {}

  bool requested() {
    if (flag_ != nullptr && flag_->requested()) return true;
    if (!ask_) return false;
    const auto now = Clock::now();
    if (now < next_ask_) return false;
    next_ask_ = now + std::chrono::milliseconds(50);
    return ask_();
  }

  void operator()() {
    if (requested()) throw Interrupted();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const StopFlag* flag_ = nullptr;
  std::function<bool()> ask_;
  Clock::time_point next_ask_{};
};

}  // namespace sightline::runtime

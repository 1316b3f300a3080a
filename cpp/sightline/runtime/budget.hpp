// Limits the steps and the time of a search that may grow exponentially.
#pragma once

#include <chrono>
#include <cstdint>

#include "sightline/runtime/stop.hpp"

namespace sightline::runtime {

// Counts steps and seconds. `spend` throws if the user requested a stop.
class Budget {
 public:
  Budget(std::int64_t max_steps, double max_seconds, StopPoll& poll)
      : max_steps_(max_steps), max_seconds_(max_seconds), poll_(&poll), begin_(Clock::now()) {}

  // Takes one step. Returns false from the moment that steps or seconds are used up.
  bool spend() {
    if (++steps_ >= next_look_) look();
    if (steps_ > max_steps_) exhausted_ = true;
    return !exhausted_;
  }
  void exhaust() { exhausted_ = true; }
  bool exhausted() const { return exhausted_; }
  std::int64_t steps() const { return steps_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  // Steps take from a microsecond to many milliseconds. The clock is read after every long step, but
  // only now and then after short ones.
  static constexpr std::int64_t kStepsPerLook = 8;
  static constexpr double kLongStretch = 0.01;

  void look() {
    (*poll_)();
    const double now = seconds();
    if (now > max_seconds_) exhausted_ = true;
    next_look_ = steps_ + (now - last_look_ > kLongStretch ? 1 : kStepsPerLook);
    last_look_ = now;
  }

  std::int64_t max_steps_;
  double max_seconds_;
  StopPoll* poll_;
  Clock::time_point begin_;
  std::int64_t steps_ = 0;
  std::int64_t next_look_ = 1;
  double last_look_ = 0;
  bool exhausted_ = false;
};

}  // namespace sightline::runtime

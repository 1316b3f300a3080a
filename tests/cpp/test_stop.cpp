// Cancellation: a flag stops every kernel that holds it, and an expensive question is asked rarely.
#include <string>

#include "check.hpp"
#include "sightline/runtime/parallel.hpp"
#include "sightline/runtime/stop.hpp"

using namespace sightline::runtime;

namespace {

void a_flag_stops_its_kernels() {
  StopFlag flag;
  StopPoll poll(&flag, {});
  CHECK(!poll.requested());
  poll();
  flag.request();
  CHECK(poll.requested());
  std::string message;
  bool has_worked = false;
  try {
    parallel_blocks(10, 1, 1, poll, [&](std::size_t, std::size_t) { has_worked = true; });
  } catch (const Interrupted& stopped) {
    message = stopped.what();
  }
  CHECK(message == "interrupted" && !has_worked);
}

void a_question_is_asked_once_in_a_while() {
  int n_asked = 0;
  StopFlag flag;
  StopPoll poll(&flag, [&] { return ++n_asked > 1; });
  CHECK(!poll.requested() && !poll.requested() && n_asked == 1);
  flag.request();
  CHECK(poll.requested() && n_asked == 1);
}

void nothing_stops_a_kernel_without_either() {
  StopPoll poll;
  CHECK(!poll.requested());
}

}  // namespace

int main() {
  a_flag_stops_its_kernels();
  a_question_is_asked_once_in_a_while();
  nothing_stops_a_kernel_without_either();
  return finish();
}

// Blocks on several threads: every item once, errors from any thread, and threads that cannot be started.
#include <pthread.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sightline/runtime/parallel.hpp"

using namespace sightline::runtime;

namespace {

constexpr std::size_t kItems = 1000;
constexpr std::size_t kBlock = 7;
constexpr int kThreads = 4;

bool does_every_item_once() {
  std::vector<int> n_times(kItems, 0);
  StopPoll poll;
  parallel_blocks(kItems, kBlock, kThreads, poll, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++n_times[i];
  });
  return n_times == std::vector<int>(kItems, 1);
}

void an_error_of_any_block_arrives() {
  const std::string error = error_of([] {
    StopPoll poll;
    parallel_blocks(kItems, kBlock, kThreads, poll, [](std::size_t begin, std::size_t) {
      if (begin > kItems / 2) throw std::invalid_argument("a block failed");
    });
  });
  CHECK(error == "a block failed");
}

// Both threads are in a block when the first of them fails: one of the errors arrives.
void of_two_errors_one_arrives() {
  std::atomic<int> n_inside{0};
  const std::string error = error_of([&] {
    StopPoll poll;
    parallel_blocks(2, 1, 2, poll, [&](std::size_t, std::size_t) {
      ++n_inside;
      while (n_inside < 2) std::this_thread::yield();
      throw std::invalid_argument("both blocks failed");
    });
  });
  CHECK(error == "both blocks failed");
}

#ifdef __GLIBC__
// No system has this much memory for a stack, so that no thread starts.
void works_where_no_thread_can_be_started() {
  constexpr std::size_t kTooLarge = std::size_t{1} << 46;
  pthread_attr_t before;
  pthread_attr_t large;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&large);
  CHECK(pthread_attr_setstacksize(&large, kTooLarge) == 0);
  CHECK(pthread_setattr_default_np(&large) == 0);
  CHECK(does_every_item_once());
  pthread_setattr_default_np(&before);
}
#else
void works_where_no_thread_can_be_started() {}
#endif

}  // namespace

int main() {
  CHECK(does_every_item_once());
  an_error_of_any_block_arrives();
  of_two_errors_one_arrives();
  works_where_no_thread_can_be_started();
  return finish();
}

#include "sightline/runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sightline::runtime {
namespace {

// Threads that are joined at the end. std::jthread is not in Apple's library.
class Helpers {
 public:
  Helpers() = default;
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Starts up to n threads; fewer if the system has no more to give.
  template <class Work>
  void start(std::size_t n, const Work& work) {
    threads_.reserve(n);
    try {
      for (std::size_t i = 0; i < n; ++i) threads_.emplace_back(work);
    } catch (const std::system_error&) {
      return;
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

void parallel_blocks(std::size_t n_items, std::size_t block_size, int n_threads, StopPoll& poll,
                     const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t n_blocks = (n_items + block_size - 1) / block_size;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex error_mutex;

  const auto run = [&](StopPoll* own_poll) {
    try {
      while (!failed.load(std::memory_order_relaxed)) {
        const std::size_t block = next.fetch_add(1);
        if (block >= n_blocks) return;
        if (own_poll != nullptr) (*own_poll)();
        work(block * block_size, std::min(n_items, (block + 1) * block_size));
      }
    } catch (...) {
      failed = true;
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };

  const std::size_t n_helpers = std::min<std::size_t>(n_threads > 1 ? n_threads - 1 : 0, n_blocks > 0 ? n_blocks - 1 : 0);
  {
    Helpers helpers;
    helpers.start(n_helpers, [&run] { run(nullptr); });
    run(&poll);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace sightline::runtime

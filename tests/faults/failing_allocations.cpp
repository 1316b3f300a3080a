// Replaces the module's operator new by one that fails on demand: allocation number n of the kernels, and
// no other, throws. Built into the module only by `make faults`.
//
// Only what the kernels ask for fails: nanobind's conversions of arguments are noexcept, a few bytes each,
// and would end the process.
#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

constexpr long kNever = -1;
std::atomic<long> allocations_until_failure{kNever};
std::atomic<long> allocations{0};

bool called_by_a_kernel() {
  std::array<void*, 64> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < depth; ++i) {
    Dl_info place{};
    if (dladdr(frames[i], &place) == 0 || place.dli_sname == nullptr) continue;
    if (std::string_view(place.dli_sname).find("9sightline") != std::string_view::npos) return true;
  }
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (allocations_until_failure.load() > 0 && --allocations_until_failure == 0) {
    const bool fails = called_by_a_kernel();
    allocations_until_failure = fails ? kNever : 1;
    if (fails) throw std::bad_alloc();
  }
  void* memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#define SIGHTLINE_EXPORT extern "C" __attribute__((visibility("default")))
SIGHTLINE_EXPORT void fail_allocation(long n) { allocations_until_failure = n; }
SIGHTLINE_EXPORT long count_allocations() { return allocations.exchange(0); }

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new[](std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Replaces the module's operator new by one that fails on demand: allocation number n of the kernels, and
// no other, throws. Built into the module only by `make faults`.
//
// Where nanobind converts arguments or results it may not throw: its casters are noexcept and would end the
// process. Those allocations are a few bytes each; the next one of a kernel fails in their place.
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

bool converts_arguments() {
  std::array<void*, 24> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < depth; ++i) {
    Dl_info place{};
    if (dladdr(frames[i], &place) == 0 || place.dli_sname == nullptr) continue;
    const std::string_view name(place.dli_sname);
    if (name.find("from_python") != name.npos || name.find("from_cpp") != name.npos) return true;
  }
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (allocations_until_failure.load() > 0 && --allocations_until_failure == 0) {
    const bool fails = !converts_arguments();
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

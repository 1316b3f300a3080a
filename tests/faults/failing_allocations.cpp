// Replaces the module's operator new by one that fails on demand: allocation number n of the kernels, and
// no other, throws. Built into the module only by `make faults`.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr long kNever = -1;
std::atomic<long> allocations_until_failure{kNever};
std::atomic<long> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (allocations_until_failure.load() > 0 && --allocations_until_failure == 0) {
    allocations_until_failure = kNever;
    throw std::bad_alloc();
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
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Passes arrays between Python and C++: read-only views out, checked copies in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace nb = nanobind;

namespace sightline::bindings {

template <class T>
using Array1 = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copied(const Array1<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A view of memory that `owner` keeps alive.
template <class T>
nb::ndarray<nb::numpy, const T> view(const T* data, std::initializer_list<std::size_t> shape, nb::handle owner) {
  return nb::ndarray<nb::numpy, const T>(data, shape, owner);
}

// What a new array holds at first. Nothing, if all of it is written anyway.
enum class Fill { kZeros, kNothing };

// A new array for Python to own. Fill it through `data()`, then `release()` it.
template <class T>
class NewArray {
 public:
  explicit NewArray(std::initializer_list<std::size_t> shape, Fill fill = Fill::kZeros) : shape_(shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    memory_ = fill == Fill::kZeros ? std::make_unique<T[]>(size) : std::make_unique_for_overwrite<T[]>(size);
  }

  T* data() { return memory_.get(); }

  nb::ndarray<nb::numpy, T> release() {
    T* data = memory_.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(data, shape_.size(), shape_.data(), owner);
  }
  nb::ndarray<nb::numpy, const T> release_read_only() {
    const T* data = memory_.get();
    nb::capsule owner(memory_.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, const T>(data, shape_.size(), shape_.data(), owner);
  }

 private:
  std::vector<std::size_t> shape_;
  std::unique_ptr<T[]> memory_;
};

}  // namespace sightline::bindings

// Reads files into memory that the system hands out in large pages.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "register.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace nb = nanobind;

namespace sightline::bindings {
namespace {

// Memory from this size on gets its pages from the system for every use: a file of 40 MB needs 10,000 of them, and clearing
// them takes as long as reading the file.
constexpr std::size_t kMinAdvised = std::size_t{1} << 22;

void advise_large_pages([[maybe_unused]] char* begin, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  if (size < kMinAdvised) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(begin) + size) / page * page;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // only advice: no harm if it is refused
#endif
}

// Nobody else sees the bytes before they are filled, and the view is gone afterwards.
nb::bytes bytes_filled_by(std::size_t size, const nb::callable& fill) {
  PyObject* content = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (content == nullptr) nb::raise_python_error();
  nb::object owner = nb::steal(content);
  char* begin = PyBytes_AS_STRING(content);
  advise_large_pages(begin, size);
  nb::object view = nb::steal(PyMemoryView_FromMemory(begin, static_cast<Py_ssize_t>(size), PyBUF_WRITE));
  if (!view.is_valid()) nb::raise_python_error();
  const auto n_filled = nb::cast<std::size_t>(fill(view));
  view.attr("release")();
  if (n_filled > size) throw nb::value_error("more bytes were filled than there are");
  if (n_filled == size) return nb::borrow<nb::bytes>(owner);
  return nb::bytes(begin, n_filled);
}

}  // namespace

void register_file_content(nb::module_& m) {
  m.def("bytes_filled_by", &bytes_filled_by, nb::arg("size"), nb::arg("fill"),
        "Return the bytes that `fill` writes to a buffer of this size, as `readinto` of a file does: it returns their number.");
}

}  // namespace sightline::bindings

// Rows of numbers that may be mostly zero: class counts, class probabilities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sightline::model {

// One row, borrowed: all its numbers, or those that are not zero with their ascending indices.
template <class Number>
class NumberRow {
 public:
  NumberRow(std::span<const Number> all) : values_(all), width_(all.size()) {}            // NOLINT: a row in full is a row
  NumberRow(const std::vector<Number>& all) : NumberRow(std::span<const Number>(all)) {}  // NOLINT: as above
  NumberRow(std::span<const Number> values, const std::int32_t* index, std::size_t width)
      : values_(values), index_(index), width_(width), is_full_(false) {}

  // Numbers, zeros included.
  std::size_t size() const { return width_; }
  bool is_full() const { return is_full_; }
  // A search where zeros are left out: visit them all with `for_each`.
  Number operator[](std::size_t k) const {
    if (is_full()) return values_[k];
    const std::int32_t* end = index_ + values_.size();
    const std::int32_t* found = std::lower_bound(index_, end, static_cast<std::int32_t>(k));
    return found != end && *found == static_cast<std::int32_t>(k) ? values_[found - index_] : Number{0};
  }
  // Calls visit(k, number) in ascending order of k, for at least all numbers that are not zero.
  template <class Visit>
  void for_each(Visit visit) const {
    if (is_full()) {
      for (std::size_t k = 0; k < width_; ++k) visit(k, values_[k]);
    } else {
      for (std::size_t i = 0; i < values_.size(); ++i) visit(static_cast<std::size_t>(index_[i]), values_[i]);
    }
  }
  void copy_to(Number* all) const {
    if (!is_full()) std::fill(all, all + width_, Number{0});
    for_each([&](std::size_t k, Number number) { all[k] = number; });
  }
  std::vector<Number> in_full() const {
    std::vector<Number> all(width_);
    copy_to(all.data());
    return all;
  }
  // 0 if the row is empty.
  Number sum() const {
    Number total{0};
    for_each([&](std::size_t, Number number) { total += number; });
    return total;
  }
  // 0 if no number is larger, for numbers that are not negative.
  Number largest() const {
    Number most{0};
    for_each([&](std::size_t, Number number) { most = std::max(most, number); });
    return most;
  }

 private:
  std::span<const Number> values_;
  const std::int32_t* index_ = nullptr;
  std::size_t width_;
  bool is_full_ = true;
};

// Rows of equal width, kept in full until it turns out that less than half the memory holds them
// without their zeros. With a few classes that never happens; with a thousand, a leaf has a handful.
template <class Number>
class NumberRows {
 public:
  NumberRows() = default;
  explicit NumberRows(std::size_t width) : width_(width) {}
  // All rows in full, one after the other. Whether their length fits is for the caller to check.
  NumberRows(std::size_t width, std::vector<Number> all) : width_(width), values_(std::move(all)) {
    if (may_shrink()) n_stored_ = count(values_);
    if (width_ > 0 && values_.size() % width_ == 0) shrink_if_worth_it();
  }

  std::size_t width() const { return width_; }
  std::size_t size() const {
    if (!is_full_) return begin_.size() - 1;
    return width_ == 0 ? 0 : values_.size() / width_;
  }
  bool empty() const { return size() == 0; }
  // Zeros included.
  std::size_t n_numbers() const { return is_full_ ? values_.size() : size() * width_; }
  std::size_t n_bytes() const {
    return values_.size() * sizeof(Number) + index_.size() * sizeof(std::int32_t) + begin_.size() * sizeof(std::size_t);
  }
  NumberRow<Number> operator[](std::size_t row) const {
    if (is_full_) return std::span<const Number>(values_.data() + row * width_, width_);
    return {std::span<const Number>(values_.data() + begin_[row], begin_[row + 1] - begin_[row]), index_.data() + begin_[row],
            width_};
  }
  // All rows in full, or nothing if zeros are left out.
  const Number* in_full() const { return is_full_ ? values_.data() : nullptr; }
  // All rows, one after the other, without a copy if they are in full. Leaves nothing behind.
  std::vector<Number> taken() {
    std::vector<Number> all;
    if (is_full_) {
      all = std::move(values_);
    } else {
      all.resize(size() * width_);
      for (std::size_t row = 0; row < size(); ++row) (*this)[row].copy_to(all.data() + row * width_);
    }
    clear(width_);
    return all;
  }
  // What is stored, zeros included or not.
  std::span<const Number> stored() const { return values_; }

  void reserve(std::size_t n_rows, std::size_t width) {
    if (is_full_ && !is_worth_it(1, 1, width)) values_.reserve(n_rows * width);
  }
  void add(NumberRow<Number> row) {
    if (!is_full_) return add_without_zeros(row);
    const std::size_t begin = values_.size();
    if (begin == 0) width_ = row.size();
    values_.resize(begin + width_);
    row.copy_to(values_.data() + begin);
    if (!may_shrink()) return;
    n_stored_ += count({values_.data() + begin, width_});
    // At every doubling: the first rows of a tree, near its root, have more classes than the rest.
    if (size() >= next_look_) shrink_if_worth_it();
  }
  void drop_last() {
    if (is_full_) {
      if (may_shrink()) n_stored_ -= count({values_.data() + values_.size() - width_, width_});
      values_.resize(values_.size() - width_);
      return;
    }
    begin_.pop_back();
    values_.resize(begin_.back());
    index_.resize(begin_.back());
  }
  // Replaces a row in place, or appends it if it may not fit; returns its position.
  std::size_t replace(std::size_t at, std::span<const Number> row) {
    if (!is_full_) {
      add_without_zeros(row);
      return size() - 1;
    }
    std::copy(row.begin(), row.end(), values_.begin() + static_cast<std::ptrdiff_t>(at * width_));
    return at;
  }
  // Keeps the memory.
  void clear(std::size_t width) {
    width_ = width;
    is_full_ = true;
    n_stored_ = 0;
    next_look_ = kFirstLook;
    values_.clear();
    index_.clear();
    begin_.clear();
  }

 private:
  static constexpr std::size_t kFirstLook = 64;
  static constexpr std::size_t kBytesPerNumber = sizeof(Number) + sizeof(std::int32_t);

  static std::size_t count(std::span<const Number> numbers) {
    return static_cast<std::size_t>(std::count_if(numbers.begin(), numbers.end(), is_stored));
  }
  // A negative zero is not left out, so that every number comes back as it was.
  static bool is_stored(Number number) { return number != 0 || 1 / number < 0; }
  static bool is_worth_it(std::size_t n_rows, std::size_t n_stored, std::size_t width) {
    return 2 * (n_stored * kBytesPerNumber + n_rows * sizeof(std::size_t)) < n_rows * width * sizeof(Number);
  }
  // Whether rows of a single number each would be smaller without zeros.
  bool may_shrink() const { return is_worth_it(1, 1, width_); }
  void shrink_if_worth_it() {
    next_look_ = 2 * size();
    if (!may_shrink() || !is_worth_it(size(), n_stored_, width_)) return;
    const std::vector<Number> all = std::exchange(values_, {});
    is_full_ = false;
    begin_.assign(1, 0);
    values_.reserve(n_stored_);
    index_.reserve(n_stored_);
    for (std::size_t first = 0; first < all.size(); first += width_) add_without_zeros(std::span(all.data() + first, width_));
  }
  void add_without_zeros(NumberRow<Number> row) {
    row.for_each([&](std::size_t k, Number number) {
      if (!is_stored(number)) return;
      values_.push_back(number);
      index_.push_back(static_cast<std::int32_t>(k));
    });
    begin_.push_back(values_.size());
  }

  std::size_t width_ = 0;
  bool is_full_ = true;
  std::size_t n_stored_ = 0;  // numbers that would be kept without zeros, as long as all are kept
  std::size_t next_look_ = kFirstLook;
  std::vector<Number> values_;
  // Without zeros: the index of every number, and the first number of every row, and one more.
  std::vector<std::int32_t> index_;
  std::vector<std::size_t> begin_;
};

}  // namespace sightline::model

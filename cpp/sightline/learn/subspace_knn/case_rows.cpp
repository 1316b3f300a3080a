#include "sightline/learn/subspace_knn/case_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::learn::subspace_knn {
namespace {

constexpr std::size_t kChunk = 256;

inline float clipped(float difference) { return difference < 1.0F ? difference : 1.0F; }

inline std::int32_t fixed(float difference, float unit) { return static_cast<std::int32_t>(difference * difference * unit); }

// The largest possible difference between this value and any value of the range; 1 if it is missing.
inline float farthest(float value) { return clipped(value > 0.5F ? value : 1.0F - value); }

inline float known_or(float value, float difference, float otherwise) { return value == value ? difference : otherwise; }

SIGHTLINE_SIMD_DISPATCH void nominal(const float* cases, std::size_t n, float value, std::int32_t unit, std::int32_t* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = cases[j] == value ? 0 : unit;
}

SIGHTLINE_SIMD_DISPATCH void numeric(const float* cases, std::size_t n, float value, float unit, std::int32_t* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = fixed(clipped(std::fabs(cases[j] - value)), unit);
}

SIGHTLINE_SIMD_DISPATCH void numeric_or_missing(const float* cases, std::size_t n, float value, float unit, std::int32_t* out) {
  const float far = farthest(value);
  for (std::size_t j = 0; j < n; ++j) {
    out[j] = fixed(known_or(cases[j], clipped(std::fabs(cases[j] - value)), far), unit);
  }
}

SIGHTLINE_SIMD_DISPATCH void from_missing(const float* cases, std::size_t n, float unit, std::int32_t* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = fixed(known_or(cases[j], farthest(cases[j]), 1.0F), unit);
}

SIGHTLINE_SIMD_DISPATCH void add(const std::int32_t* more, std::size_t n, std::int32_t* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] += more[j];
}

std::int32_t unit_for(std::size_t n_features) {
  const std::uint32_t most =
      std::numeric_limits<std::int32_t>::max() / static_cast<std::uint32_t>(std::max<std::size_t>(n_features, 1));
  return static_cast<std::int32_t>(std::bit_floor(most));
}

}  // namespace

CaseRows::CaseRows(const table::Columns& rows)
    : n_rows_(rows.n_rows()),
      unit_(unit_for(rows.size())),
      is_nominal_(rows.size()),
      has_missing_(rows.size()),
      half_low_(rows.size(), 0.0),
      half_range_(rows.size(), 0.5) {
  for (std::size_t f = 0; f < rows.size(); ++f) is_nominal_[f] = rows[f].is_nominal();
  measure(rows);
  scale(rows);
}

CaseRows::CaseRows(const table::Columns& rows, const CaseRows& cases)
    : n_rows_(rows.n_rows()),
      unit_(cases.unit_),
      is_nominal_(cases.is_nominal_),
      has_missing_(rows.size()),
      half_low_(cases.half_low_),
      half_range_(cases.half_range_) {
  scale(rows);
}

void CaseRows::measure(const table::Columns& rows) {
  for (std::size_t f = 0; f < rows.size(); ++f) {
    if (is_nominal_[f]) continue;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t row = 0; row < n_rows_; ++row) {
      const double value = rows[f].number(row);
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(low <= high)) continue;
    half_low_[f] = 0.5 * low;
    const double range = 0.5 * high - 0.5 * low;
    if (range > 0) half_range_[f] = range;
  }
}

void CaseRows::scale(const table::Columns& rows) {
  values_.resize(n_rows_ * rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f) {
    float* out = values_.data() + f * n_rows_;
    bool any_missing = false;
    for (std::size_t row = 0; row < n_rows_; ++row) {
      float value = std::numeric_limits<float>::quiet_NaN();
      if (is_nominal_[f]) {
        const std::int32_t code = rows[f].code(row);
        if (code >= 0 && code < rows[f].n_values()) value = static_cast<float>(code);
      } else {
        const double scaled = (0.5 * rows[f].number(row) - half_low_[f]) / half_range_[f];
        // Beyond this every distance is 1, and infinities would have no difference.
        value = static_cast<float>(scaled != scaled ? scaled : std::clamp(scaled, -3.0, 3.0));
      }
      out[row] = value;
      any_missing |= value != value;
    }
    has_missing_[f] = any_missing;
  }
}

void write_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                       std::int32_t* out) {
  const float* column = cases.column(feature) + begin;
  const std::size_t n = end - begin;
  const auto unit = static_cast<float>(cases.unit());
  if (cases.is_nominal(feature)) return nominal(column, n, value, cases.unit(), out);
  if (value != value) return from_missing(column, n, unit, out);
  if (cases.has_missing(feature)) return numeric_or_missing(column, n, value, unit, out);
  numeric(column, n, value, unit, out);
}

void add_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                     std::int32_t* out) {
  std::int32_t more[kChunk];
  for (std::size_t first = begin; first < end; first += kChunk) {
    const std::size_t last = std::min(end, first + kChunk);
    write_differences(cases, feature, value, first, last, more);
    add(more, last - first, out + (first - begin));
  }
}

}  // namespace sightline::learn::subspace_knn

#include "sightline/distill/meta_knn/member_selection.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightline/learn/subspace_knn/leave_one_out.hpp"

namespace sightline::distill::meta_knn {
namespace {

using learn::subspace_knn::CaseLabels;
using learn::subspace_knn::Change;

// The columns of this metric are members; the distance of a member is the sum over its own columns.
class ViewMetric {
 public:
  using Distance = double;
  ViewMetric(const CaseViews& cases, std::size_t n_columns)
      : n_rows_(cases.n_cases()), columns_(cases.by_column()), n_columns_(n_columns) {}
  std::size_t n_rows() const { return n_rows_; }
  void write(std::size_t member, std::size_t row, std::size_t begin, std::size_t end, double* out) const {
    std::fill(out, out + (end - begin), 0.0);
    for (std::size_t index = member * n_columns_; index < (member + 1) * n_columns_; ++index) {
      const float* column = columns_.data() + index * n_rows_;
      const double own = column[row];
      for (std::size_t j = begin; j < end; ++j) {
        const double difference = column[j] - own;
        out[j - begin] += difference * difference;
      }
    }
  }
  static double just_below(double distance) { return std::nextafter(distance, -std::numeric_limits<double>::infinity()); }

 private:
  std::size_t n_rows_;
  std::vector<float> columns_;
  std::size_t n_columns_;
};

double weight_of(double squared, bool weighted) {
  // After members are removed, rounding may leave a distance just below 0.
  return weighted ? 1.0 / std::max(std::sqrt(std::max(squared, 0.0)), learn::subspace_knn::kMinDistance) : 1.0;
}

std::vector<std::int32_t> codes_of(const CaseViews& cases) {
  std::vector<std::int32_t> codes(cases.n_cases());
  for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = cases.code(row);
  return codes;
}

class Selecting {
 public:
  Selecting(const CaseViews& cases, const SelectionOptions& options, runtime::StopPoll& poll)
      : cases_(cases),
        options_(options),
        poll_(poll),
        labels_(codes_of(cases), cases.n_classes()),
        metric_(cases, options.n_columns),
        pairs_(metric_, options.k, options.n_threads) {}

  std::vector<std::int32_t> run() {
    const std::size_t n_members = cases_.width() / options_.n_columns;
    std::vector<std::size_t> all(n_members);
    std::iota(all.begin(), all.end(), 0);
    pairs_.begin(all, poll_);
    std::int64_t now = n_wrong(Change::kNone, 0, std::numeric_limits<std::int64_t>::max());
    std::vector<bool> stays(n_members, true);
    std::size_t n_staying = n_members;
    for (std::size_t member = n_members; member-- > 0 && n_staying > 1;) {
      const std::int64_t without = n_wrong(Change::kRemove, member, now);
      if (without > now) continue;
      pairs_.make(Change::kRemove, member, poll_);
      stays[member] = false;
      --n_staying;
      now = without;
    }
    std::vector<std::int32_t> result;
    for (std::size_t member = 0; member < n_members; ++member) {
      if (stays[member]) result.push_back(static_cast<std::int32_t>(member));
    }
    return result;
  }

 private:
  std::int64_t n_wrong(Change change, std::size_t member, std::int64_t most) {
    std::atomic<std::int64_t> wrong{0};
    pairs_.try_change(change, member, poll_, [&](std::size_t row, const learn::subspace_knn::NearestList<double>& nearest) {
      thread_local std::vector<double> votes;
      votes.assign(labels_.n_classes(), 0.0);
      for (std::size_t index = 0; index < nearest.size(); ++index) {
        votes[labels_[nearest[index].row]] += weight_of(nearest[index].distance, options_.weighted);
      }
      if (labels_.winner(votes.data()) != labels_[row]) wrong.fetch_add(1, std::memory_order_relaxed);
      return wrong.load(std::memory_order_relaxed) <= most;
    });
    return wrong;
  }

  const CaseViews& cases_;
  const SelectionOptions& options_;
  runtime::StopPoll& poll_;
  CaseLabels labels_;
  ViewMetric metric_;
  learn::subspace_knn::LeaveOneOut<ViewMetric> pairs_;
};

}  // namespace

std::vector<std::int32_t> select_members(const CaseViews& cases, const SelectionOptions& options, runtime::StopPoll& poll) {
  return Selecting(cases, options, poll).run();
}

}  // namespace sightline::distill::meta_knn

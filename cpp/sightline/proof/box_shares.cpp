#include "sightline/proof/box_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sightline::proof {
namespace {

// Of the rows, those without a value: an ensemble does not tell how many there are.
constexpr double kShareMissing = 1.0 / 16;

// Of sources that keep no weights all branches count the same.
double weight_of_branch(const model::Tree& tree, model::NodeId v, std::size_t branch) {
  return std::max(tree.weight(tree.children(v)[branch]), std::numeric_limits<double>::min());
}

}  // namespace

BoxShares::BoxShares(const BoxedEnsemble& model, const table::Columns* rows, const std::vector<bool>& may_be_missing)
    : model_(model), test_shares_(mean_over_nodes(model, &weight_of_branch)) {
  if (rows == nullptr) return;
  n_features_ = rows->size();
  cells_.resize(rows->n_rows() * n_features_);
  rows->gather(0, rows->n_rows(), cells_.data());
  for (std::uint32_t row = 0; row < rows->n_rows(); ++row) {
    bool covered = true;
    for (std::size_t f = 0; f < n_features_; ++f) covered &= may_be_missing[f] || !std::isnan(cell(row, f));
    if (covered) inside_[0].push_back(row);
  }
}

void BoxShares::open() {
  estimated_.push_back(0);
  inside_.emplace_back();
}

void BoxShares::close() {
  estimated_.pop_back();
  inside_.pop_back();
}

void BoxShares::enter(const Question& question, std::size_t outcome) {
  estimated_.back() = estimated_[estimated_.size() - 2] * usual(question, outcome);
  inside_.back().clear();
  for (const std::uint32_t row : inside_[inside_.size() - 2]) {
    if (outcome_of(question, row) == static_cast<std::int32_t>(outcome)) inside_.back().push_back(row);
  }
}

double BoxShares::usual(const Question& question, std::size_t outcome) const {
  if (question.about_missing) return outcome == 1 ? kShareMissing : 1 - kShareMissing;
  return test_shares_[model_.test_number(question.tree, question.node)][outcome];
}

std::int32_t BoxShares::outcome_of(const Question& question, std::uint32_t row) const {
  const double value = cell(row, question.feature());
  if (question.about_missing) return std::isnan(value);
  if (std::isnan(value)) return question.nodes->missing_branch(question.node);
  return static_cast<std::int32_t>(question.nodes->branch(question.node, value));
}

std::vector<std::vector<double>> mean_over_nodes(const BoxedEnsemble& model,
                                                 double (*of)(const model::Tree&, model::NodeId, std::size_t)) {
  std::vector<std::vector<double>> means(model.n_tests());
  const auto& trees = model.ensemble().parts().trees;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const model::Tree& tree = *trees[t];
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (tree.is_leaf(v)) continue;
      std::vector<double>& mean = means[model.test_number(static_cast<std::int32_t>(t), v)];
      mean.resize(tree.children(v).size(), 0.0);
      for (std::size_t b = 0; b < mean.size(); ++b) mean[b] += of(tree, v, b);
    }
  }
  for (auto& mean : means) {
    const double total = std::accumulate(mean.begin(), mean.end(), 0.0);
    for (double& share : mean) share /= total;
  }
  return means;
}

}  // namespace sightline::proof

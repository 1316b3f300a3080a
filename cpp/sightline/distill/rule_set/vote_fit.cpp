#include "sightline/distill/rule_set/vote_fit.hpp"

#include <cmath>

namespace sightline::distill::rule_set {
namespace {

constexpr double kSettled = 1e-6;  // relative change of weights that is not worth another sweep

}  // namespace

RowProbabilities row_probabilities(const double* probabilities, std::size_t n_rows, std::size_t n_classes, const double* weights,
                                   double least) {
  RowProbabilities result;
  result.begin = {0};
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double* of_row = probabilities + row * n_classes;
    double kept = 0;
    for (std::size_t k = 0; k < n_classes; ++k) kept += of_row[k] >= least ? of_row[k] : 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      if (of_row[k] < least) continue;
      result.label.push_back(static_cast<std::int32_t>(k));
      result.probability.push_back(of_row[k] / kept);
    }
    result.begin.push_back(result.label.size());
    result.weight.push_back(weights != nullptr ? weights[row] : 1.0);
  }
  return result;
}

VoteFit::VoteFit(const RowProbabilities& target, std::vector<double> base, double penalty)
    : target_(target), base_(std::move(base)), penalty_(penalty), scratch_(base_.size()) {
  entry_gain_.resize(target.label.size());
  row_loss_.resize(target.n_rows());
  sum_up();
  prepare();
}

Vote VoteFit::best_vote(const RowList& rows) const {
  std::array<double, kWeights.size()> loss;
  for (std::size_t w = 0; w < kWeights.size(); ++w) loss[w] = penalty_ * kWeights[w];
  std::vector<std::int32_t> touched;
  for (const std::uint32_t row : rows) {
    for (std::size_t w = 0; w < kWeights.size(); ++w) loss[w] += row_loss_[row][w];
    for (std::size_t e = target_.begin[row]; e < target_.begin[row + 1]; ++e) {
      auto& gain = scratch_[target_.label[e]];
      if (gain[0] == 0) touched.push_back(target_.label[e]);
      for (std::size_t w = 0; w < kWeights.size(); ++w) gain[w] += entry_gain_[e][w];
    }
  }
  Vote best;
  for (const std::int32_t label : touched) {
    for (std::size_t w = 0; w < kWeights.size(); ++w) {
      const double gain = scratch_[label][w] - loss[w];
      if (gain > best.gain || (gain == best.gain && gain > 0 && label < best.label)) best = {label, kWeights[w], gain};
    }
    scratch_[label] = {};
  }
  return best;
}

void VoteFit::add(const RowList& rows, std::int32_t label, double weight) {
  Member member{&rows, label, {}};
  for (const std::uint32_t row : rows) {
    std::int64_t found = -1;
    for (std::size_t e = target_.begin[row]; e < target_.begin[row + 1]; ++e) {
      if (target_.label[e] == label) found = static_cast<std::int64_t>(e);
    }
    member.entry.push_back(found);
  }
  members_.push_back(std::move(member));
  weight_.push_back(weight);
  sum_up();
}

std::vector<bool> VoteFit::drop_below(double weight) {
  std::vector<bool> stays;
  std::size_t n_kept = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    stays.push_back(weight_[m] >= weight);
    if (!stays[m]) continue;
    if (n_kept != m) members_[n_kept] = std::move(members_[m]);
    weight_[n_kept++] = weight_[m];
  }
  members_.resize(n_kept);
  weight_.resize(n_kept);
  sum_up();
  return stays;
}

// Minorize and maximize: with the votes of the last sweep as shares, each weight has a maximum of its own, and the loss
// never rises.
void VoteFit::refit(int n_sweeps) {
  for (int sweep = 0; sweep < n_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      double wanted = 0;
      double cost = penalty_;
      const Member& member = members_[m];
      for (std::size_t i = 0; i < member.rows->size(); ++i) {
        const std::uint32_t row = (*member.rows)[i];
        cost += target_.weight[row] / of_row_[row];
        if (const std::int64_t e = member.entry[i]; e >= 0) {
          wanted += target_.weight[row] * target_.probability[e] / of_entry_[e];
        }
      }
      const double factor = cost > 0 ? wanted / cost : 0.0;
      change = std::max(change, std::abs(factor - 1));
      weight_[m] *= factor;
    }
    sum_up();
    if (change < kSettled) break;
  }
}

void VoteFit::sum_up() {
  double all = 0;
  for (const double share : base_) all += share;
  of_row_.assign(target_.n_rows(), all);
  of_entry_.resize(target_.label.size());
  for (std::size_t e = 0; e < of_entry_.size(); ++e) of_entry_[e] = base_[target_.label[e]];
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    for (std::size_t i = 0; i < member.rows->size(); ++i) {
      of_row_[(*member.rows)[i]] += weight_[m];
      if (member.entry[i] >= 0) of_entry_[member.entry[i]] += weight_[m];
    }
  }
}

void VoteFit::prepare() {
  for (std::size_t row = 0; row < target_.n_rows(); ++row) {
    const double weight = target_.weight[row];
    for (std::size_t w = 0; w < kWeights.size(); ++w) {
      row_loss_[row][w] = static_cast<float>(weight * std::log1p(kWeights[w] / of_row_[row]));
    }
    for (std::size_t e = target_.begin[row]; e < target_.begin[row + 1]; ++e) {
      for (std::size_t w = 0; w < kWeights.size(); ++w) {
        entry_gain_[e][w] = static_cast<float>(weight * target_.probability[e] * std::log1p(kWeights[w] / of_entry_[e]));
      }
    }
  }
}

}  // namespace sightline::distill::rule_set

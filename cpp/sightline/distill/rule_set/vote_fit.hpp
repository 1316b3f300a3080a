// Votes of a few rules whose shares come close to the probabilities of an ensemble.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/distill/rule_set/candidates.hpp"

namespace sightline::distill::rule_set {

// The probabilities that the ensemble gives the classes of each row. Tiny ones are left out, so that time and memory do
// not grow with the number of classes.
struct RowProbabilities {
  std::vector<std::size_t> begin;   // per row, and the end
  std::vector<std::int32_t> label;  // per entry
  std::vector<double> probability;  // per entry; those of a row add up to 1
  std::vector<double> weight;       // per row

  std::size_t n_rows() const { return weight.size(); }
};

// From dense (row, class) probabilities; null weights mean 1 each. Entries below `least` are left out.
RowProbabilities row_probabilities(const double* probabilities, std::size_t n_rows, std::size_t n_classes, const double* weights,
                                   double least);

// The class that a rule votes for, its weight, and how much the loss falls.
struct Vote {
  std::int32_t label = 0;
  double weight = 0;
  double gain = 0;
};

// Every row starts with one vote, split like `base`. Rules add weights, none negative. The loss is the sum over rows of
// -Σ q log(votes / all votes), plus `penalty` times the weights: about as if that many rows spoke against each rule.
class VoteFit {
 public:
  VoteFit(const RowProbabilities& target, std::vector<double> base, double penalty);

  // The best class and weight, of a short list of weights, for a rule that these rows satisfy.
  Vote best_vote(const RowList& rows) const;
  void add(const RowList& rows, std::int32_t label, double weight);
  // Forgets the rules of less weight; returns which stay.
  std::vector<bool> drop_below(double weight);
  // Adapts all weights to each other, up to this many times or until they hardly change.
  void refit(int n_sweeps);
  // Must be called before best_vote after changes.
  void prepare();

  const std::vector<double>& weights() const { return weight_; }

 private:
  static constexpr std::array<double, 8> kWeights{0.25, 0.5, 1, 2, 4, 8, 16, 32};
  struct Member {
    const RowList* rows;  // of the caller
    std::int32_t label;
    std::vector<std::int64_t> entry;  // per row: its entry of the label, -1 if none
  };

  void sum_up();

  const RowProbabilities& target_;
  std::vector<double> base_;
  double penalty_;
  std::vector<Member> members_;
  std::vector<double> weight_;    // per member
  std::vector<double> of_entry_;  // votes of the class of each entry
  std::vector<double> of_row_;    // votes of all classes
  // What each of kWeights more changes, times weights and probabilities; only where it can count.
  std::vector<std::array<float, kWeights.size()>> entry_gain_;
  std::vector<std::array<float, kWeights.size()>> row_loss_;
  mutable std::vector<std::array<double, kWeights.size()>> scratch_;  // per class
};

}  // namespace sightline::distill::rule_set

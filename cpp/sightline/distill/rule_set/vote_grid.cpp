#include "sightline/distill/rule_set/vote_grid.hpp"

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill::rule_set {

void grid_errors(const CountedVotes& counted, const std::vector<std::size_t>& levels, const std::vector<double>& factors,
                 const double* fallback, const model::Voting& voting, const std::int32_t* labels, const double* weights,
                 int n_threads, runtime::StopPoll& poll, double* errors) {
  const std::size_t n_classes = counted.n_classes;
  const std::vector<double> nothing(n_classes, 0.0);
  // One point of the grid per task, so that sums are added in the order of the rows.
  parallel_blocks(levels.size() * factors.size(), 1, n_threads, poll, [&](std::size_t point, std::size_t) {
    model::Voting own = voting;
    own.factor = factors[point % factors.size()];
    const double* partial = counted.at_level(levels[point / factors.size()]);
    std::vector<double> votes(n_classes);
    double wrong = 0;
    for (std::size_t row = 0; row < counted.n_rows; ++row) {
      if (labels[row] < 0) continue;
      const std::size_t at = row * n_classes;
      model::final_votes(counted.full + at, partial + at, fallback != nullptr ? fallback + at : nothing.data(), own,
                         votes.data());
      if (model::vote_winner(votes, own.prior) != static_cast<std::size_t>(labels[row])) {
        wrong += weights != nullptr ? weights[row] : 1.0;
      }
    }
    errors[point] = wrong;
  });
}

}  // namespace sightline::distill::rule_set

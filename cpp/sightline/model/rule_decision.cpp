#include "sightline/model/rule_decision.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::model {
namespace {

bool all_zero(const double* votes, std::size_t n) {
  return std::all_of(votes, votes + n, [](double vote) { return std::abs(vote) <= kNoVote; });
}

}  // namespace

bool final_votes(const double* full, const double* partial, const double* fallback, const Voting& voting, double* votes) {
  const std::size_t n_classes = voting.prior.size();
  for (std::size_t k = 0; k < n_classes; ++k) votes[k] = voting.base[k] + full[k] + voting.factor * partial[k];
  if (!all_zero(votes, n_classes)) return false;
  for (std::size_t k = 0; k < n_classes; ++k) votes[k] = fallback[k];
  if (all_zero(votes, n_classes)) std::copy(voting.prior.begin(), voting.prior.end(), votes);
  return true;
}

std::size_t vote_winner(std::span<const double> votes, std::span<const double> prior) {
  double most = votes[0];
  double largest = 0;
  for (const double vote : votes) {
    most = std::max(most, vote);
    largest = std::max(largest, std::abs(vote));
  }
  const double enough = most - kVoteTie * largest;
  std::size_t best = votes.size();
  for (std::size_t k = 0; k < votes.size(); ++k) {
    if (votes[k] >= enough && (best == votes.size() || prior[k] > prior[best])) best = k;
  }
  return best;
}

VotingRules::VotingRules(const RuleSet& rules, const Voting& voting)
    : rules_(rules),
      voting_(voting),
      matches_(rules, {voting.factor != 0 ? voting.pc : 1.0}),
      near_matches_(rules, {voting.fallback}) {}

void VotingRules::vote(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* votes) const {
  const std::size_t n_classes = rules_.n_classes();
  const std::size_t size = rows.n_rows() * n_classes;
  std::vector<double> full(size), partial(size), fallback(size, 0.0);
  matches_.count(rows, {}, n_threads, poll, full.data(), partial.data());
  const auto finish = [&] {
    bool any_without = false;
    for (std::size_t at = 0; at < size; at += n_classes) {
      any_without |= final_votes(full.data() + at, partial.data() + at, fallback.data() + at, voting_, votes + at);
    }
    return any_without;
  };
  // Rules of whole trees leave no complete row without a vote: then the second look is saved.
  if (!finish() || voting_.fallback >= 1) return;
  std::vector<double> unused(size);
  near_matches_.count(rows, {}, n_threads, poll, unused.data(), fallback.data());
  finish();
}

}  // namespace sightline::model

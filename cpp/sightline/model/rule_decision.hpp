// Turns votes into a class. No other code decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sightline/model/rule_votes.hpp"

namespace sightline::model {

// Votes are equal if they differ by less than this share of the largest: the order of a sum changes its rounding.
inline constexpr double kVoteTie = 1e-9;

// Votes for and against a class may cancel out, up to the rounding of their sum: up to this size they count as zero.
inline constexpr double kNoVote = 1e-12;

// How the matches of a row become votes: base + full + factor * partial. Where all of these
// are zero the partial matches of the fallback stand in, and where these are zero, too, the prior.
struct Voting {
  double pc = 1;        // least share of satisfied conditions of a partial match that votes
  double factor = 0;    // of partial matches
  double fallback = 1;  // minimum share if nothing votes; 1: no fallback
  std::span<const double> base;
  std::span<const double> prior;
};

// Votes of one row; `partial` and `fallback` are its sums at the two shares. Returns whether
// the fallback was used. Votes count as zero if rounding alone could have made them.
bool final_votes(const double* full, const double* partial, const double* fallback, const Voting& voting, double* votes);

// The class with the most votes. Votes that differ by no more than rounding are equal; then
// the larger prior wins, then the lower index.
std::size_t vote_winner(std::span<const double> votes, std::span<const double> prior);

// Rules with their voting, prepared for many predictions. Rules and voting must outlive it.
class VotingRules {
 public:
  VotingRules(const RuleSet& rules, const Voting& voting);

  // Final votes of every row: (row, class).
  void vote(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* votes) const;

 private:
  const RuleSet& rules_;
  Voting voting_;
  RuleVotes matches_;
  RuleVotes near_matches_;  // of the fallback
};

}  // namespace sightline::model

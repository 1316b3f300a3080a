#include "sightline/distill/rule_set/shortening.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/model/condition_bits.hpp"
#include "sightline/model/rule_builder.hpp"

namespace sightline::distill::rule_set {
namespace {

constexpr std::size_t kBlock = model::RowBits::kRows;

// Conditions of the rows as bits, block by block.
struct RowBlocks {
  std::vector<std::vector<model::RowBits>> holds;  // (block, condition)
  std::vector<model::RowBits> all;                 // per block
};

RowBlocks gather_blocks(const model::RuleSet& rules, const table::Columns& rows, runtime::StopPoll& poll) {
  const model::ConditionBits conditions(rules);
  model::ConditionBits::Block block;
  RowBlocks result;
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += kBlock) {
    poll();
    const std::size_t end = std::min(rows.n_rows(), begin + kBlock);
    conditions.evaluate(rows, begin, end, block);
    result.holds.push_back(block.holds);
    result.all.push_back(model::RowBits::first(end - begin));
  }
  return result;
}

// How little the numbers of rows deviate. Measured from their mean in units of their deviation, so that one
// more row with squared distance 1 accounts for the uncertainty about a rule with few rows.
class Closeness {
 public:
  struct Sums {
    double rows = 0;
    double sum = 0;
    double squares = 0;
  };

  Closeness(std::vector<double> numbers, const double* weights) : numbers_(std::move(numbers)), weights_(weights) {
    Sums all;
    for (std::size_t row = 0; row < numbers_.size(); ++row) add_row(all, row);
    const double mean = all.rows > 0 ? all.sum / all.rows : 0;
    double squares = 0;
    for (std::size_t row = 0; row < numbers_.size(); ++row) {
      numbers_[row] -= mean;
      squares += weight_of(row) * numbers_[row] * numbers_[row];
    }
    const double deviation = squares > 0 ? std::sqrt(squares / all.rows) : 1;
    for (double& number : numbers_) number /= deviation;
  }

  void add(Sums& sums, const model::RowBits& rows, std::size_t block) const {
    rows.for_each([&](std::size_t i) { add_row(sums, block * kBlock + i); });
  }

  double operator()(const Sums& sums) const {
    const double within = sums.rows > 0 ? std::max(sums.squares - sums.sum * sums.sum / sums.rows, 0.0) : 0;
    return -(within + 1) / (sums.rows + 1);
  }

 private:
  double weight_of(std::size_t row) const { return weights_ != nullptr ? weights_[row] : 1.0; }

  void add_row(Sums& sums, std::size_t row) const {
    const double weighted = weight_of(row) * numbers_[row];
    sums.rows += weight_of(row);
    sums.sum += weighted;
    sums.squares += weighted * numbers_[row];
  }

  std::vector<double> numbers_;
  const double* weights_;
};

class Shortener {
 public:
  Shortener(const model::RuleSet& rules, const RowBlocks& blocks, const Closeness& measure)
      : rules_(rules), blocks_(blocks), measure_(measure) {}

  std::vector<std::int32_t> shortened(std::size_t rule) {
    const auto given = rules_.conditions(rule);
    std::vector<std::int32_t> conditions(given.begin(), given.end());
    while (conditions.size() > 1) {
      const std::vector<double> without = measured_without(conditions);
      std::size_t best = 0;
      for (std::size_t i = 1; i < conditions.size(); ++i) {
        if (without[i] >= without[best]) best = i;
      }
      if (without[best] < without.back()) break;
      conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return conditions;
  }

 private:
  // How good the rule is without each condition in turn; the last entry is with all conditions.
  std::vector<double> measured_without(const std::vector<std::int32_t>& conditions) {
    const std::size_t n = conditions.size();
    std::vector<Closeness::Sums> sums(n + 1);
    from_.resize(n + 1);
    for (std::size_t block = 0; block < blocks_.all.size(); ++block) {
      const auto& holds = blocks_.holds[block];
      const auto add = [&](std::size_t i, const model::RowBits& rows) {
        if (rows.any()) measure_.add(sums[i], rows, block);
      };
      from_[n] = blocks_.all[block];
      for (std::size_t i = n; i-- > 0;) from_[i] = from_[i + 1] & holds[conditions[i]];
      add(n, from_[0]);
      model::RowBits before = ~model::RowBits{};
      for (std::size_t i = 0; i < n; ++i) {
        add(i, before & from_[i + 1]);
        before &= holds[conditions[i]];
      }
    }
    std::vector<double> measured;
    for (const auto& own : sums) measured.push_back(measure_(own));
    return measured;
  }

  const model::RuleSet& rules_;
  const RowBlocks& blocks_;
  const Closeness& measure_;
  std::vector<model::RowBits> from_;  // scratch: rows that satisfy all conditions from an index on
};

}  // namespace

model::RuleSetPtr with_shortened_numbers(const model::RuleSet& rules, const table::Columns& rows, std::vector<double> numbers,
                                         const double* weights, runtime::StopPoll& poll) {
  const RowBlocks blocks = gather_blocks(rules, rows, poll);
  const Closeness measure(std::move(numbers), weights);
  Shortener shortener(rules, blocks, measure);
  const model::RuleArrays& a = rules.arrays();
  model::RuleBuilder pool(a.n_values, a.n_classes, a.n_trees, model::Merging::kOncePerTree);
  for (std::size_t c = 0; c < rules.n_conditions(); ++c)
    pool.add_condition(model::condition_of(rules, static_cast<std::int32_t>(c)));
  for (std::size_t r = 0; r < rules.n_rules(); ++r) pool.add_rule(rules.conditions(r), a.label[r], a.weight[r], rules.sources(r));
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    poll();
    const std::vector<std::int32_t> conditions = shortener.shortened(r);
    if (conditions.size() < rules.conditions(r).size()) pool.add_rule(conditions, a.label[r], a.weight[r], rules.sources(r));
  }
  return pool.finish();
}

}  // namespace sightline::distill::rule_set

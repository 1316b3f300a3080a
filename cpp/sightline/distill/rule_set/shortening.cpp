#include "sightline/distill/rule_set/shortening.hpp"

#include <algorithm>

#include "sightline/model/rule_builder.hpp"

namespace sightline::distill::rule_set {
namespace {

// Conditions, classes and bags of the rows as bits, block by block.
struct RowBlocks {
  std::vector<std::vector<model::RowBits>> holds;     // (block, condition)
  std::vector<std::vector<model::RowBits>> of_class;  // (block, class)
  std::vector<std::vector<model::RowBits>> of_trees;  // (block, tree): its out-of-bag rows
  std::vector<model::RowBits> all;                    // per block
};

RowBlocks gather_blocks(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                        const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll) {
  const model::ConditionBits conditions(rules);
  model::ConditionBits::Block block;
  RowBlocks result;
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += model::RowBits::kRows) {
    poll();
    const std::size_t end = std::min(rows.n_rows(), begin + model::RowBits::kRows);
    conditions.evaluate(rows, begin, end, block);
    result.holds.push_back(block.holds);
    result.all.push_back(model::RowBits::first(end - begin));
    auto& of_class = result.of_class.emplace_back(rules.n_classes());
    for (std::size_t row = begin; row < end; ++row) of_class[labels[row]].set(row - begin);
    auto& of_trees = result.of_trees.emplace_back();
    if (out_of_bag) out_of_bag.gather(begin, end, of_trees);
  }
  return result;
}

// Weight of the rows that satisfy some conditions, and of those with the right class.
struct Cover {
  double rows = 0;
  double right = 0;

  double precision(std::size_t n_classes) const { return (right + 1) / (rows + static_cast<double>(n_classes)); }
};

class Shortener {
 public:
  Shortener(const model::RuleSet& rules, const RowBlocks& blocks, const double* weights, bool masked)
      : rules_(rules), blocks_(blocks), weights_(weights), masked_(masked) {}

  std::vector<std::int32_t> shortened(std::size_t rule);

 private:
  double weight_of(const model::RowBits& rows, std::size_t block) const;
  void add(Cover& cover, const model::RowBits& rows, const model::RowBits& right, std::size_t block) const;
  // The cover without each condition in turn; the last entry is that of all conditions.
  std::vector<Cover> covers_without(std::size_t rule, const std::vector<std::int32_t>& conditions);

  const model::RuleSet& rules_;
  const RowBlocks& blocks_;
  const double* weights_;
  bool masked_;
  std::vector<model::RowBits> from_;  // scratch: rows that satisfy all conditions from an index on
};

double Shortener::weight_of(const model::RowBits& rows, std::size_t block) const {
  if (weights_ == nullptr) return static_cast<double>(rows.count());
  double sum = 0;
  rows.for_each([&](std::size_t i) { sum += weights_[block * model::RowBits::kRows + i]; });
  return sum;
}

void Shortener::add(Cover& cover, const model::RowBits& rows, const model::RowBits& right, std::size_t block) const {
  if (!rows.any()) return;
  cover.rows += weight_of(rows, block);
  cover.right += weight_of(rows & right, block);
}

std::vector<Cover> Shortener::covers_without(std::size_t rule, const std::vector<std::int32_t>& conditions) {
  const std::size_t n = conditions.size();
  std::vector<Cover> covers(n + 1);
  from_.resize(n + 1);
  const model::RuleArrays& a = rules_.arrays();
  for (std::size_t block = 0; block < blocks_.all.size(); ++block) {
    const auto& holds = blocks_.holds[block];
    const model::RowBits named = blocks_.of_class[block][a.label[rule]];
    const model::RowBits right = a.weight[rule] < 0 ? ~named : named;
    from_[n] = masked_ ? model::judged_rows(rules_, rule, blocks_.of_trees[block]) & blocks_.all[block] : blocks_.all[block];
    for (std::size_t i = n; i-- > 0;) from_[i] = from_[i + 1] & holds[conditions[i]];
    add(covers[n], from_[0], right, block);
    model::RowBits before = ~model::RowBits{};
    for (std::size_t i = 0; i < n; ++i) {
      add(covers[i], before & from_[i + 1], right, block);
      before &= holds[conditions[i]];
    }
  }
  return covers;
}

std::vector<std::int32_t> Shortener::shortened(std::size_t rule) {
  const auto given = rules_.conditions(rule);
  std::vector<std::int32_t> conditions(given.begin(), given.end());
  while (conditions.size() > 1) {
    const std::vector<Cover> covers = covers_without(rule, conditions);
    std::size_t best = 0;
    for (std::size_t i = 1; i < conditions.size(); ++i) {
      if (covers[i].precision(rules_.n_classes()) >= covers[best].precision(rules_.n_classes())) best = i;
    }
    if (covers[best].precision(rules_.n_classes()) < covers.back().precision(rules_.n_classes())) break;
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return conditions;
}

}  // namespace

model::RuleSetPtr with_shortened(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                 const double* weights, const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll) {
  const RowBlocks blocks = gather_blocks(rules, rows, labels, out_of_bag, poll);
  Shortener shortener(rules, blocks, weights, static_cast<bool>(out_of_bag));
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

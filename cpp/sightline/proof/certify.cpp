#include "sightline/proof/certify.hpp"

#include <algorithm>
#include <set>

#include "sightline/proof/box_walk.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof {
namespace {

constexpr std::size_t kMaxWitnesses = 4096;
constexpr std::int64_t kFirstBoxesPerPart = 256;
constexpr std::int64_t kGrowth = 8;
constexpr std::size_t kMaxPathBytes = std::size_t{1} << 30;

class Certifier {
 public:
  Certifier(BoxedModel& first, BoxedModel& second, const Box& box, const CertifyOptions& options, runtime::StopPoll& poll)
      : first_(first),
        second_(second),
        options_(options),
        budget_(options.max_boxes, options.max_seconds, poll),
        walk_(box),
        refuted_(options.refuted.begin(), options.refuted.end()) {
    walk_.add(first_);
    walk_.add(second_);
  }

  Certified run() {
    boxes_per_part_ = first_.has_leaves() ? std::min(kFirstBoxesPerPart, options_.max_boxes) : options_.max_boxes;
    do {
      n_open_ = 0;
      visit_parts();
      boxes_per_part_ = boxes_per_part_ < options_.max_boxes / kGrowth ? boxes_per_part_ * kGrowth : options_.max_boxes;
    } while (n_open_ > 0 && !budget_.exhausted() && !stopped_);
    return summary();
  }

 private:
  // A leaf is proved if all its parts are known and proved.
  Certified summary() {
    for (const std::int32_t leaf : refuted_) result_.status[leaf] = LeafStatus::kRefuted;
    result_.complete = knows_all_parts_ && !stopped_;
    for (std::size_t part = 0; part < proved_.size(); ++part) {
      const bool knows_its_parts = knows_all_parts_ || (options_.one_part_per_leaf && leaf_of_part_[part] >= 0);
      const bool is_known = proved_[part] && knows_its_parts;
      if (refuted_.contains(leaf_of_part_[part])) continue;
      LeafStatus& status = result_.status.emplace(leaf_of_part_[part], LeafStatus::kProved).first->second;
      if (!is_known) status = LeafStatus::kOpen;
      result_.complete = result_.complete && is_known;
    }
    result_.n_boxes = budget_.steps();
    return std::move(result_);
  }

  bool at_part() { return !first_.has_leaves() || first_.verdict(walk_.box()) != BoxedModel::kOpen; }

  // One pass over the parts of the first model, in an order that is always the same.
  void visit_parts() {
    std::size_t part = 0;
    while (true) {
      if (!spend()) {
        walk_.abandon(0);
        return;
      }
      if (!at_part()) {
        walk_.ask(first_.question(walk_.box()));
        continue;
      }
      visit(part++);
      if (stopped_) {
        walk_.abandon(0);
        return;
      }
      while (walk_.depth() > 0 && !walk_.next()) walk_.close();
      if (walk_.depth() == 0) {
        knows_all_parts_ = true;
        return;
      }
    }
  }

  void visit(std::size_t part) {
    const std::int32_t leaf = first_.leaf();
    if (part == proved_.size()) {
      proved_.push_back(false);
      leaf_of_part_.push_back(leaf);
    }
    if (proved_[part] || refuted_.contains(leaf)) return;
    switch (examine()) {
      case LeafStatus::kProved:
        proved_[part] = true;
        return;
      case LeafStatus::kRefuted:
        refuted_.insert(leaf);
        if (result_.witness.size() < kMaxWitnesses) result_.witness.emplace(leaf, found_);
        stopped_ = options_.stop_at_first || !first_.has_leaves();
        return;
      case LeafStatus::kOpen:
        ++n_open_;
        return;
    }
  }

  // Decides the present box, as far as the budget of one part goes.
  LeafStatus examine() {
    const std::size_t depth = walk_.depth();
    const std::int64_t last = budget_.steps() + std::min(boxes_per_part_, options_.max_boxes - budget_.steps());
    if (differs_at(walk_.box().witness())) return LeafStatus::kRefuted;
    while (true) {
      const std::int32_t one = first_.verdict(walk_.box());
      const std::int32_t two = second_.verdict(walk_.box());
      if (one == BoxedModel::kOpen || two == BoxedModel::kOpen) {
        if (budget_.steps() >= last || !spend()) {
          walk_.abandon(depth);
          return LeafStatus::kOpen;
        }
        walk_.ask((one == BoxedModel::kOpen ? first_ : second_).question(walk_.box()));
        continue;
      }
      if (options_.first_label[one] != options_.second_label[two]) {
        found_ = walk_.box().witness();
        walk_.abandon(depth);
        return LeafStatus::kRefuted;
      }
      while (walk_.depth() > depth && !walk_.next()) walk_.close();
      if (walk_.depth() == depth) return LeafStatus::kProved;
      if (!spend()) {
        walk_.abandon(depth);
        return LeafStatus::kOpen;
      }
    }
  }

  // A look at one row may spare the search.
  bool differs_at(std::vector<double> row) {
    if (options_.first_label[first_.label(row.data())] == options_.second_label[second_.label(row.data())]) return false;
    found_ = std::move(row);
    return true;
  }

  bool spend() {
    if (first_.memory() + second_.memory() > kMaxPathBytes) budget_.exhaust();
    return budget_.spend();
  }

  BoxedModel& first_;
  BoxedModel& second_;
  const CertifyOptions& options_;
  runtime::Budget budget_;
  BoxWalk walk_;
  Certified result_;

  std::int64_t boxes_per_part_ = 0;
  std::vector<bool> proved_;  // per part, in the order of visits
  std::vector<std::int32_t> leaf_of_part_;
  std::set<std::int32_t> refuted_;
  std::int64_t n_open_ = 0;
  std::vector<double> found_;
  bool knows_all_parts_ = false;
  bool stopped_ = false;
};

}  // namespace

Certified certify(BoxedModel& first, BoxedModel& second, const Box& box, const CertifyOptions& options, runtime::StopPoll& poll) {
  return Certifier(first, second, box, options, poll).run();
}

}  // namespace sightline::proof

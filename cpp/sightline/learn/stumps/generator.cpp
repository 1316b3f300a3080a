#include "sightline/learn/stumps/generator.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "sightline/runtime/parallel.hpp"

namespace sightline::learn::stumps {
namespace {

// Only the calling thread polls for a stop, between blocks; within a block it signals the other threads.
class SharedStop {
 public:
  explicit SharedStop(runtime::StopPoll& poll) : poll_(poll), caller_(std::this_thread::get_id()) {}

  void check() {
    if (std::this_thread::get_id() == caller_ && poll_.requested()) stopped_ = true;
    if (stopped_) throw runtime::Interrupted();
  }

 private:
  runtime::StopPoll& poll_;
  std::thread::id caller_;
  std::atomic<bool> stopped_{false};
};

// Generates the stumps that begin with one feature, or with one pair.
class Branching {
 public:
  Branching(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight, const Votes& votes,
            SharedStop& stop)
      : rows_(rows), options_(options), votes_(votes), stop_(stop), splitter_(rows, options, weight), whole_(splitter_.whole()) {
    part_of_[0].assign(rows.n_rows(), 0);
    classes_.resize(rows.n_rows());
  }

  StumpBatch from_attribute(std::int32_t first) {
    batch_ = {};
    if (!enter(0, first)) return std::move(batch_);
    emit(1);
    if (options_.max_depth >= 2) extend(1);
    return std::move(batch_);
  }

  StumpBatch from_pair(std::int32_t first, std::int32_t second) {
    batch_ = {};
    if (!enter(0, first)) return std::move(batch_);
    if (second == 0) emit(1);
    if (!may_follow(1, second) || !enter(1, second)) return std::move(batch_);
    emit(2);
    extend(2);
    return std::move(batch_);
  }

 private:
  static constexpr std::size_t kMaxDepth = 3;

  bool enter(std::size_t depth, std::int32_t feature) {
    stop_.check();
    const Parts& above = depth == 0 ? whole_ : levels_[depth - 1].below;
    if (!splitter_.split(above, part_of_[depth], feature, levels_[depth])) return false;
    splitter_.descend(levels_[depth], part_of_[depth], part_of_[depth + 1]);
    return true;
  }

  // A multiway test of the same feature a second time is redundant.
  bool may_follow(std::size_t depth, std::int32_t feature) const {
    for (std::size_t d = 0; d < depth; ++d) {
      if (levels_[d].feature == feature && !splitter_.may_repeat(feature)) return false;
    }
    return true;
  }

  void extend(std::size_t depth) {
    for (std::int32_t feature = 0; feature < static_cast<std::int32_t>(rows_.n_features()); ++feature) {
      if (may_follow(depth, feature) && enter(depth, feature)) emit(depth + 1);
    }
  }

  void emit(std::size_t depth);
  void fold_equal_leaves(std::size_t depth);
  void add_nodes();

  const StumpRows& rows_;
  const StumpOptions& options_;
  const Votes& votes_;
  SharedStop& stop_;
  StumpSplitter splitter_;
  const Parts whole_;
  Level levels_[kMaxDepth];
  std::vector<std::int32_t> part_of_[kMaxDepth + 1];

  // Per level and part: the label if all leaves below have the same, else -1.
  std::vector<std::int32_t> same_[kMaxDepth + 1];
  struct Position {
    std::size_t depth;
    std::int32_t part;
  };
  std::vector<Position> positions_;
  std::vector<std::uint8_t> classes_;
  StumpBatch batch_;
};

void Branching::fold_equal_leaves(std::size_t depth) {
  same_[depth] = levels_[depth - 1].below.label;
  for (std::size_t d = depth; d-- > 0;) {
    same_[d].clear();
    for (const PartSplit& split : levels_[d].split) {
      const auto first = same_[d + 1].begin() + split.first_child;
      const bool all_equal = std::all_of(first, first + split.n_branches, [&](std::int32_t label) { return label == *first; });
      same_[d].push_back(all_equal ? *first : -1);
    }
  }
}

// Breadth-first, so that the children of a node are adjacent.
void Branching::add_nodes() {
  positions_.assign(1, {0, 0});
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    Position position = positions_[i];
    StumpNode node;
    node.label = same_[position.depth][position.part];
    if (node.label < 0) {
      while (levels_[position.depth].split[position.part].test == model::Test::kLeaf) {
        position = {position.depth + 1, levels_[position.depth].split[position.part].first_child};
      }
      const PartSplit& split = levels_[position.depth].split[position.part];
      const Parts& parts = position.depth == 0 ? whole_ : levels_[position.depth - 1].below;
      node.test = split.test;
      node.feature = levels_[position.depth].feature;
      node.value = split.value;
      node.threshold = split.test == model::Test::kThreshold ? split.threshold : 0;
      node.missing_branch = split.missing_branch;
      node.n_children = split.n_branches;
      node.first_child = static_cast<std::int32_t>(positions_.size());
      node.label = parts.label[position.part];
      for (std::int32_t b = 0; b < split.n_branches; ++b) positions_.push_back({position.depth + 1, split.first_child + b});
    }
    batch_.nodes.push_back(node);
  }
  batch_.begin.push_back(batch_.nodes.size());
}

void Branching::emit(std::size_t depth) {
  fold_equal_leaves(depth);
  if (same_[0][0] >= 0) return;
  add_nodes();
  batch_.depth.push_back(static_cast<std::int32_t>(depth));
  const std::vector<std::int32_t>& leaf_label = levels_[depth - 1].below.label;
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    classes_[row] = static_cast<std::uint8_t>(leaf_label[part_of_[depth][row]]);
  }
  votes_.pack(classes_, batch_.words);
}

}  // namespace

std::vector<StumpBatch> generate(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight,
                                 const Votes& votes, int n_threads, runtime::StopPoll& poll) {
  const std::size_t n = rows.n_features();
  const bool by_pairs = options.max_depth >= 3;
  std::vector<StumpBatch> batches(by_pairs ? n * n : n);
  SharedStop stop(poll);
  const std::size_t block = by_pairs ? n : std::max<std::size_t>(1, n / 16);
  runtime::parallel_blocks(batches.size(), block, n_threads, poll, [&](std::size_t begin, std::size_t end) {
    Branching branching(rows, options, weight, votes, stop);
    for (std::size_t i = begin; i < end; ++i) {
      batches[i] = by_pairs ? branching.from_pair(static_cast<std::int32_t>(i / n), static_cast<std::int32_t>(i % n))
                            : branching.from_attribute(static_cast<std::int32_t>(i));
    }
  });
  return batches;
}

std::string key_of(std::span<const StumpNode> stump) {
  std::string key;
  const auto append = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const StumpNode& node : stump) {
    append(node.test);
    if (node.test == model::Test::kLeaf) {
      append(node.label);
      continue;
    }
    append(node.feature);
    append(node.value);
    append(node.missing_branch);
    append(node.threshold);
  }
  return key;
}

}  // namespace sightline::learn::stumps

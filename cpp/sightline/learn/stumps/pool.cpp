#include "sightline/learn/stumps/pool.hpp"

namespace sightline::learn::stumps {

StumpPool::StumpPool(StumpRows rows, const StumpOptions& options)
    : rows_(std::move(rows)), options_(options), votes_(rows_.n_rows(), rows_.n_classes()) {
  votes_.pack(rows_.label(), packed_labels_);
}

void StumpPool::generate(const std::vector<std::int32_t>& weight, int n_threads, runtime::StopPoll& poll) {
  const std::vector<StumpBatch> batches = stumps::generate(rows_, options_, weight, votes_, n_threads, poll);
  for (std::int32_t depth = 1; depth <= options_.max_depth; ++depth) {
    for (const StumpBatch& batch : batches) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (batch.depth[i] != depth || !keys_.insert(key_of(batch.stump(i))).second) continue;
        poll();
        const auto nodes = batch.stump(i);
        nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
        begin_.push_back(nodes_.size());
        votes_.add({batch.words.data() + i * votes_.n_words(), votes_.n_words()});
        right_.push_back(votes_.agreements(size() - 1, packed_labels_));
      }
    }
  }
}

model::TreePtr StumpPool::tree(std::size_t stump) const {
  return built({nodes_.data() + begin_[stump], nodes_.data() + begin_[stump + 1]});
}

model::TreePtr StumpPool::constant() const {
  StumpNode leaf;
  leaf.label = rows_.by_frequency()[0];
  return built({&leaf, 1});
}

model::TreePtr StumpPool::built(std::span<const StumpNode> stump) const {
  const std::size_t n_classes = rows_.n_classes();
  model::TreeArrays arrays;
  arrays.n_values = rows_.n_values();
  arrays.n_outputs = n_classes;
  std::vector<double> counts(stump.size() * n_classes, 0.0);
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    std::size_t v = 0;
    while (true) {
      ++counts[v * n_classes + rows_.label()[row]];
      const StumpNode& node = stump[v];
      if (node.test == model::Test::kLeaf) break;
      const std::int32_t branch = rows_[node.feature].branch(row, node.test, node.threshold, node.value, node.missing_branch);
      v = node.first_child + branch;
    }
  }
  for (std::size_t v = 0; v < stump.size(); ++v) {
    const StumpNode& node = stump[v];
    double weight = 0;
    for (std::size_t c = 0; c < n_classes; ++c) weight += counts[v * n_classes + c];
    arrays.add_node(node.test, node.feature, node.threshold, weight);
    if (node.test == model::Test::kSubset) arrays.add_category(node.value);
    for (std::int32_t b = 0; b < node.n_children; ++b)
      arrays.add_branch(node.first_child + b, b == node.missing_branch ? 1.0 : 0.0);
    std::vector<double> vote(n_classes, 0.0);
    vote[node.label] = 1;
    arrays.output.add(vote);
  }
  arrays.counts = {n_classes, std::move(counts)};
  return model::build_tree(std::move(arrays));
}

}  // namespace sightline::learn::stumps

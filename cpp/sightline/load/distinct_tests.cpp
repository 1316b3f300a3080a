#include "sightline/load/distinct_tests.hpp"

#include <bit>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace sightline::load {
namespace {

struct ThresholdKey {
  std::uint64_t threshold;
  std::int32_t feature;
  std::int8_t missing;
  bool operator==(const ThresholdKey&) const = default;
};

struct ThresholdHash {
  std::size_t operator()(const ThresholdKey& key) const {
    const std::uint64_t mixed =
        key.threshold ^ (static_cast<std::uint64_t>(key.feature) << 8) ^ static_cast<std::uint8_t>(key.missing);
    return static_cast<std::size_t>((mixed ^ (mixed >> 29)) * 0x9E3779B97F4A7C15ULL);
  }
};

std::int8_t missing_of(const model::DecisionNodes& tree, model::NodeId v) {
  const std::int32_t branch = tree.missing_branch(v);
  return branch == 0 || branch == 1 ? static_cast<std::int8_t>(branch) : DistinctTests::kShared;
}

// Categories as bytes, after the other fields that distinguish nominal tests.
std::string nominal_key(const model::DecisionNodes& tree, model::NodeId v) {
  const auto categories = tree.categories(v);
  const std::int32_t head[] = {static_cast<std::int32_t>(tree.test(v)), tree.feature(v), missing_of(tree, v)};
  std::string key(reinterpret_cast<const char*>(head), sizeof head);
  return key.append(reinterpret_cast<const char*>(categories.data()), categories.size_bytes());
}

class Collector {
 public:
  void add(const model::DecisionNodes& tree) {
    std::vector<std::int32_t>& of_node = found_.of_node.emplace_back(tree.n_nodes(), -1);
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (!tree.is_leaf(v)) of_node[v] = number(tree, v);
    }
  }
  DistinctTests take() { return std::move(found_); }

 private:
  std::int32_t number(const model::DecisionNodes& tree, model::NodeId v) {
    const auto next = static_cast<std::int32_t>(found_.feature.size());
    const bool is_threshold = tree.test(v) == model::Test::kThreshold;
    const auto [entry, is_new] =
        is_threshold
            ? insert(thresholds_, {std::bit_cast<std::uint64_t>(tree.threshold(v)), tree.feature(v), missing_of(tree, v)}, next)
            : insert(nominal_, nominal_key(tree, v), next);
    if (is_new) append(tree, v);
    return entry;
  }

  template <class Map>
  static std::pair<std::int32_t, bool> insert(Map& map, typename Map::key_type key, std::int32_t next) {
    const auto [entry, is_new] = map.try_emplace(std::move(key), next);
    return {entry->second, is_new};
  }

  void append(const model::DecisionNodes& tree, model::NodeId v) {
    const auto categories = tree.categories(v);
    found_.kind.push_back(tree.test(v));
    found_.feature.push_back(tree.feature(v));
    found_.threshold.push_back(tree.threshold(v));
    found_.missing.push_back(missing_of(tree, v));
    found_.category.insert(found_.category.end(), categories.begin(), categories.end());
    found_.category_begin.push_back(static_cast<std::int64_t>(found_.category.size()));
  }

  DistinctTests found_;
  std::unordered_map<ThresholdKey, std::int32_t, ThresholdHash> thresholds_;
  std::unordered_map<std::string, std::int32_t> nominal_;
};

}  // namespace

DistinctTests distinct_tests(std::span<const model::TreePtr> trees) {
  Collector collector;
  for (const model::TreePtr& tree : trees) collector.add(*tree);
  return collector.take();
}

}  // namespace sightline::load

// A demand on a model's answer: one of some labels, or a number within a range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sightline/proof/boxed_model.hpp"

namespace sightline::proof {

class Demand {
 public:
  Demand(std::shared_ptr<BoxedModel> model, std::vector<std::int32_t> labels)
      : model_(std::move(model)), labels_(std::move(labels)), gives_labels_(true) {}
  // From `range.low` to `range.high`, both included.
  Demand(std::shared_ptr<BoxedModel> model, ScoreBounds range) : model_(std::move(model)), range_(range) {}

  BoxedModel& model() const { return *model_; }

  bool is_met(const std::vector<double>& row) const {
    if (gives_labels_) return wants(model_->label(row.data()));
    const double number = model_->number(row.data());
    return number >= range_.low && number <= range_.high;
  }
  // Whether no row of the box meets it, as far as bounds show.
  bool excluded(const Box& box) const {
    if (!gives_labels_) {
      const ScoreBounds numbers = model_->numbers(box);
      return numbers.high < range_.low || numbers.low > range_.high;
    }
    if (const std::int32_t known = model_->verdict(box); known != BoxedModel::kOpen) return !wants(known);
    return std::all_of(labels_.begin(), labels_.end(), [&](std::int32_t label) { return model_->excludes(box, label); });
  }
  // A test that splits the box; nothing if every row of the box gets the same answer.
  std::optional<Question> question(const Box& box) const {
    if (gives_labels_) {
      if (model_->verdict(box) != BoxedModel::kOpen) return std::nullopt;
      return model_->question(box);
    }
    if (model_->is_settled(box)) return model_->cut(box);
    const ScoreBounds numbers = model_->numbers(box);
    return model_->question_for(box, numbers.high - range_.low < range_.high - numbers.low ? Aim::kHigh : Aim::kLow);
  }

 private:
  bool wants(std::int32_t label) const { return std::find(labels_.begin(), labels_.end(), label) != labels_.end(); }

  std::shared_ptr<BoxedModel> model_;
  std::vector<std::int32_t> labels_;
  ScoreBounds range_;
  bool gives_labels_ = false;
};

}  // namespace sightline::proof

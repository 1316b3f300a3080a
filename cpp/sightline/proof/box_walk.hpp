// Walks depth-first through the parts of a box, without recursion.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sightline/proof/boxed_model.hpp"

namespace sightline::proof {

// Keeps one box and the models that look at it in step. A part is entered by `ask` or
// `next`; `next` says whether another part of the last question is left.
class BoxWalk {
 public:
  explicit BoxWalk(Box box) : box_(std::move(box)) {}

  const Box& box() const { return box_; }
  std::size_t depth() const { return frames_.size(); }
  const Question& asked() const { return frames_.back().question; }
  std::size_t outcome() const { return frames_.back().outcome; }

  // Models come and go only at the depth at which they came.
  void add(BoxedModel& model) {
    model.start(box_);
    models_.push_back(&model);
  }
  void remove_last() { models_.pop_back(); }
  // Back to the first box, for models that have looked at other boxes since.
  void restart() {
    for (; !frames_.empty(); frames_.pop_back())
      box_.restore(frames_.back().question.feature(), std::move(frames_.back().before));
    for (BoxedModel* model : models_) model->start(box_);
  }

  // Enters the first possible part; there is one, since the box is not empty.
  void ask(const Question& question) {
    frames_.push_back({question, 0, box_.side(question.feature())});
    enter_from(0);
  }
  // Enters one part, which must be possible. `next` then goes on behind it.
  void take(const Question& question, std::size_t outcome) {
    frames_.push_back({question, outcome, box_.side(question.feature())});
    enter_from(outcome);
  }
  // Leaves the present part and enters the next possible one, if any.
  bool next() {
    for (BoxedModel* model : models_) model->leave();
    Frame& frame = frames_.back();
    box_.restore(frame.question.feature(), frame.before);
    return enter_from(frame.outcome + 1);
  }
  // Forgets the last question, after `next` has returned false.
  void close() { frames_.pop_back(); }
  // Leaves everything down to a depth.
  void abandon(std::size_t depth) {
    while (frames_.size() > depth) {
      for (BoxedModel* model : models_) model->leave();
      box_.restore(frames_.back().question.feature(), std::move(frames_.back().before));
      frames_.pop_back();
    }
  }

 private:
  struct Frame {
    Question question;
    std::size_t outcome;
    Box::Side before;
  };

  bool enter_from(std::size_t outcome) {
    Frame& frame = frames_.back();
    while (outcome < frame.question.n_outcomes() && !frame.question.possible(box_, outcome)) ++outcome;
    frame.outcome = outcome;
    if (outcome == frame.question.n_outcomes()) return false;
    frame.question.narrow(box_, outcome);
    for (BoxedModel* model : models_) model->enter(box_, frame.question.feature());
    return true;
  }

  Box box_;
  std::vector<BoxedModel*> models_;
  std::vector<Frame> frames_;
};

}  // namespace sightline::proof

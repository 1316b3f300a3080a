#include "check.hpp"
#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/boxed_nodes.hpp"
#include "sightline/proof/certify.hpp"
#include "trees.hpp"

using namespace sightline;

namespace {

proof::Certified compared(const model::TreePtr& first, const model::TreePtr& second) {
  proof::BoxedNodes one(first, 0), other(second, 0);
  proof::CertifyOptions options;
  options.first_label = options.second_label = {0, 1};
  options.max_boxes = 1000;
  options.max_seconds = 60;
  runtime::StopPoll poll;
  return proof::certify(one, other, proof::Box(first->arrays().n_values), options, poll);
}

}  // namespace

int main() {
  const proof::Certified same = compared(stump(1.0), stump(1.0));
  CHECK(same.complete && same.witness.empty());

  // The trees differ for numbers in (1, 2] only.
  const proof::Certified different = compared(stump(1.0), stump(2.0));
  CHECK(different.complete && different.witness.size() == 1);
  const double witness = different.witness.begin()->second[0];
  CHECK(witness > 1 && witness <= 2);

  const proof::Certified outputs = compared(stump(1.0), stump(1.0, {0, 1, 0, 1}));
  CHECK(outputs.complete && !outputs.witness.empty());
  return finish();
}

"""The black boxes of the experiment can be imitated once they are fitted."""

import pytest
from lab.trials import small_set
from sklearn.base import clone

from sightline import DistilledTreeClassifier
from sightline.lab.claims.black_box import TEACHERS, _teachers


@pytest.mark.parametrize("name", TEACHERS)
def test_every_black_box_is_a_teacher(name):
    data = small_set(n_rows=60)
    teacher = clone(_teachers()[name]).fit(data.X, data.y)
    tree = DistilledTreeClassifier(teacher, max_leaves=2, augment=0, random_state=0).fit(data.X, data.y)
    agreement = (tree.predict(data.X) == teacher.predict(data.X)).mean()
    assert agreement > 0.7

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation

evaluations = st.lists(
    st.tuples(
        st.integers(0, 2**5 - 1),
        st.integers(1, 2),
        st.sampled_from([0.5, 0.6, 0.7]),
        st.sampled_from([1.0, 3.0, 5.0]),
        st.sampled_from([0.1, 0.2, 0.3]),
    ),
    unique_by=lambda entry: entry[0],
)


def members_of(number):
    return np.array([bool(number >> bit & 1) for bit in range(5)])


def filled(entries):
    archive = Archive(5, 2)
    for number, n_folds, accuracy, nodes, fitness in entries:
        archive.add(key_of(members_of(number)), Evaluation(n_folds, accuracy, nodes, 1.0, fitness))
    return archive


@given(evaluations)
def test_front_and_best_equal_brute_force(entries):
    archive = filled(entries)
    complete = [entry for entry in entries if entry[1] == 2]

    def beats(a, b):
        better = (a[2] >= b[2], a[3] <= b[3], a[0].bit_count() <= b[0].bit_count())
        equal = (a[2], a[3], a[0].bit_count()) == (b[2], b[3], b[0].bit_count())
        return all(better) and (not equal or complete.index(a) < complete.index(b))

    front = [e for e in complete if not any(beats(other, e) for other in complete if other is not e)]
    assert archive.front == [key_of(members_of(entry[0])) for entry in front]
    assert archive.front_points.tolist() == [[e[2], e[3], e[0].bit_count()] for e in front]
    ranked = sorted(complete, key=lambda e: (-e[4], e[0].bit_count(), e[3]))
    assert archive.fittest(3) == [key_of(members_of(entry[0])) for entry in ranked[:3]]
    assert archive.best == (key_of(members_of(ranked[0][0])) if ranked else None)


@given(evaluations)
def test_filled_again_in_its_own_order_it_is_the_same(entries):
    archive = filled(entries)
    for number, _, accuracy, nodes, fitness in (entry for entry in entries[::-2] if entry[1] < 2):
        archive.add(key_of(members_of(number)), Evaluation(2, accuracy, nodes, 1.0, fitness))
    again = Archive(5, 2)
    for key, evaluation in archive.items():
        again.add(key, evaluation)
    assert (again.items(), again.best, again.front) == (archive.items(), archive.best, archive.front)


def test_sets_that_were_given_up_are_asked_for_again_where_they_matter():
    archive = filled([(3, 1, 0.5, 1.0, 0.6)])
    sets = np.array([members_of(3), members_of(4), members_of(4)])
    assert archive.missing(sets, below=0.7) == [1]
    assert archive.missing(sets, below=0.5) == [0, 1]
    assert archive.missing(sets, below=None) == [0, 1]


def test_members_and_size():
    archive = Archive(12, 2)
    members = np.zeros(12, dtype=bool)
    members[[0, 9, 11]] = True
    assert (archive.members(key_of(members)) == members).all()
    assert archive.size(key_of(members)) == 3

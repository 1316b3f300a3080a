import gzip

import pytest

from sightline.exceptions import DataError
from sightline.lab._data_set import DataSet

ARFF = "@relation r\n@attribute id {p, q, r}\n@attribute size numeric\n@attribute kind {a, b}\n@data\n"
ROWS = "p, 1, a\nq, 2, b\nr, 1, a\n"


def test_files_are_found_gzipped_or_not(tmp_path):
    (tmp_path / "plain.arff").write_text(ARFF + ROWS)
    (tmp_path / "packed.arff.gz").write_bytes(gzip.compress((ARFF + ROWS).encode()))
    plain, packed = DataSet("plain").read(tmp_path), DataSet("other", "packed").read(tmp_path)
    assert (plain.name, packed.name) == ("plain", "other")
    assert plain.fingerprint == packed.fingerprint
    assert plain.y.classes_.tolist() == ["a", "b"]


def test_columns_can_be_dropped_and_declared_nominal(tmp_path):
    (tmp_path / "plain.arff").write_text(ARFF + ROWS)
    data = DataSet("plain", without=("id",), nominal=True).read(tmp_path)
    assert data.X.names == ["size"]
    assert data.X.columns[0].feature.categories == (1, 2)
    assert data.fingerprint != DataSet("plain").read(tmp_path).fingerprint


def test_one_class_against_the_rest(tmp_path):
    path = tmp_path / "it.arff"
    path.write_text(ARFF.replace("{a, b}", "{a, b, c}") + ROWS.replace("a\nq", "c\nq"))
    data = DataSet("C", "it", one_class=2).read(tmp_path)
    assert data.y.classes_.tolist() == ["rest", "c"]
    assert data.y.codes.tolist() == [1, 0, 0]
    with pytest.raises(DataError) as error:
        DataSet("D", "it", one_class=3).read(tmp_path)
    assert str(error.value) == f"{path}: there is no class 4. The file declares 3."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            None,
            "There is no data set 'it' in {folder!r}: found neither it.arff nor it.arff.gz.",
        ),
        (
            ARFF.replace("{a, b}", "numeric") + ROWS.replace("a", "1").replace("b", "2"),
            "{path}: the last attribute must be nominal, the class to predict.",
        ),
        (
            ARFF + ROWS.replace("a", "?", 1),
            "{path}: y has 1 missing label (None or NaN), the first at row 0. Remove these rows or label "
            "them.",
        ),
    ],
)
def test_unusable_files_are_refused(tmp_path, text, expected):
    path = tmp_path / "it.arff"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataError) as error:
        DataSet("it").read(tmp_path)
    assert str(error.value) == expected.format(path=path, folder=str(tmp_path))


def test_a_damaged_file_is_named_with_the_line(tmp_path):
    (tmp_path / "it.arff").write_text(ARFF + ROWS + "s, 1, a\n")
    with pytest.raises(DataError) as error:
        DataSet("it").read(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'it.arff'}: ")
    assert "9" in str(error.value)

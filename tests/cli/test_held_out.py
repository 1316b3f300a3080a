"""The command writes which rows it held out."""

import csv

import sightline as sl
from sightline.cli._app import run

LOANS = sl.make_loans(80)


def write(path, names=None):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*([] if names is None else ["customer"]), "age", "amount", "default"])
        for row in range(LOANS.n_rows):
            cells = [LOANS[row]["age"], LOANS[row]["amount"], "" if row < 3 else LOANS.y[row]]
            writer.writerow([*([] if names is None else [names[row]]), *cells])


def distill(folder, data, *more):
    arguments = ["--data", str(data), "--target", "default", "--out", str(folder), "--quiet", *more]
    assert run(["distill", *arguments]) == 0
    with (folder / "held_out.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_row_numbers_are_those_of_the_file(tmp_path):
    write(tmp_path / "loans.csv")
    held_out = distill(tmp_path / "out", tmp_path / "loans.csv", "--test-share", "0.3")
    numbers = [int(line["row"]) for line in held_out]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 24
    # The first three rows have no label, so that they are neither trained on nor held out.
    assert min(numbers) >= 3
    assert max(numbers) > 70


def test_names_stand_beside_the_numbers(tmp_path):
    names = [f"C{row * 7:04d}" for row in range(80)]
    write(tmp_path / "loans.csv", names)
    held_out = distill(tmp_path / "out", tmp_path / "loans.csv")
    assert held_out[0].keys() == {"row", "customer"}
    assert all(line["customer"] == names[int(line["row"])] for line in held_out)

"""Puts what `make coverage` counted into docs/how-it-is-tested.md, and prints lines that no test runs."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.tools.last_runs import commit
from docs.tools.testing_page import PAGE, fill
from docs.tools.testing_page import table as markdown

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "coverage"
SOURCE = ROOT / "src" / "sightline"

_PROCESS = (
    "Runs as a process of its own, which is not counted; `tests/cli` starts it and reads what it prints."
)
_EXPERIMENT = "A step of an experiment that takes minutes to hours: `sightline reproduce` runs it."
_NO_PANDAS = "Runs where pandas is not installed, and the tests need it."
_WINDOWS = "Runs on Windows."
_CLEANUP = "Cleans up where an allocation fails; `make faults` lets every one fail."
_GUARD = "Guards against a mistake in our own code: nothing leads there."
_ROUNDED = "Rounding widens the bounds of a box in which no test is left, so far that they decide nothing."
_SIGNATURE = "For type checkers: each estimator gets the method of its own model instead."
REASONS: dict[str, dict[str, str]] = {
    "cpp/": {"}": _CLEANUP},
    "cpp/sightline/distill/distilled_tree/small_tree.cpp": {"return sorted_.back().first;": _GUARD},
    "cpp/sightline/model/curve.cpp": {
        "default:": _GUARD,
        'throw std::logic_error("not an operation of one number");': _GUARD,
    },
    "cpp/sightline/model/decision_nodes.cpp": {
        "case Test::kLeaf:": _GUARD,
        "break;": _GUARD,
        "return 0;": _GUARD,
    },
    "cpp/sightline/proof/box.cpp": {
        "case model::Test::kLeaf:": _GUARD,
        "break;": _GUARD,
        "return false;": _GUARD,
        "return;": _GUARD,
    },
    "cpp/sightline/proof/boxed_model.hpp": {
        "virtual bool is_settled(const Box& /*box*/) { throw_no_numbers(); }": _GUARD,
        "virtual ScoreBounds numbers(const Box& /*box*/) { throw_no_numbers(); }": _GUARD,
        "virtual double number(const double* /*row*/) { throw_no_numbers(); }": _GUARD,
        '[[noreturn]] static void throw_no_numbers() { throw std::logic_error("this model does not predict '
        'numbers"); }': _GUARD,
    },
    "cpp/sightline/proof/region_search.cpp": {"return std::nullopt;": _ROUNDED},
    "__main__.py": {"": _PROCESS},
    "cli/_process.py": {"": _PROCESS},
    "estimator.py": {
        "return self.model_.to_text(**options)": _SIGNATURE,
        "return self.model_.plot(ax=ax, **options)": _SIGNATURE,
        "return self.model_.explain(rows, ids=ids)": _SIGNATURE,
        "return self.model_.export(kind, path, **options)": _SIGNATURE,
    },
    "files.py": {
        "except ImportError:": _WINDOWS,
        "import msvcrt  # noqa: PLC0415 - only on Windows": _WINDOWS,
        "msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]": _WINDOWS,
    },
    "lab/claims/": {"": _EXPERIMENT},
    "lab/papers/": {"": _EXPERIMENT},
    "load/pipeline/_containers.py": {
        "raise NotImplementedError  # `follow` does all": "Nobody calls it: its class overrides the caller.",
    },
    "load/pipeline/_elementwise.py": {"raise": "Passes on what the library refuses."},
    "load/pipeline/_missing_kinds.py": {
        "except ImportError:": _NO_PANDAS,
        'return [] if has_names else ["NaN", "None"]': _NO_PANDAS,
    },
    "load/pipeline/_probe.py": {
        "except ImportError:": _NO_PANDAS,
        "import polars as pl  # noqa: PLC0415 - optional": _NO_PANDAS,
        "return pl.DataFrame({name: list(column) for name, column in columns.items()})": _NO_PANDAS,
    },
    "table/files/_foreign_file.py": {
        "except ImportError as error:": _NO_PANDAS,
        'raise ImportError(f"{path}: {program} files need pandas: pip install pandas.") from error': (
            _NO_PANDAS
        ),
    },
    "table/_row_form.py": {"except ImportError:": _NO_PANDAS, "return np.asarray(table)": _NO_PANDAS},
}
"""Why no test runs a line: by file, or folder with a slash, and by the text of the line; "" is every line."""

_COMPILER = "The line has no condition: the compiler made these branches, e.g. of a defaulted comparison."
_CAUGHT = "Exceptions of another kind than the one that is caught pass; `make faults` sends `std::bad_alloc`."
_EVERY_CASE = "The `switch` has a case for every value, but the compiler adds a branch for others."
_LIMIT = "A limit that takes half a gigabyte or more to reach."
_SAME_HASH = "Two different keys with the same hash."
_CACHE = "A limit of a cache, which takes a long search to reach."
_EMPTIED = "A leaf without rows: passes of optimization drop it, unless twelve of them do not settle."
_IN_FULL = "Targets of two classes are always kept in full; to leave out zeros pays with many classes."
_SETTLED = "A limit of rounds: the search settles earlier."
_INFINITE = "Equal infinities only, and training rows have none."
BRANCH_REASONS: dict[str, dict[str, str]] = {
    "cpp/sightline/distill/cmm/cmm_rows.cpp": {
        "result.codes[f][row] = lost || left.empty() ? table::kMissingCode : "
        "left[stream.below(left.size())];": _GUARD,
    },
    "cpp/sightline/distill/distilled_graph/sharing.cpp": {
        "if (!(pool.weight > 0)) pool.mean = mean_of_empty(graph[leaf], rows);": _EMPTIED,
        "if (!rows.has_own_targets() && !leaf.value.empty()) return leaf.value;": _EMPTIED,
        "for (double& mean : pool.mean) mean /= pool.weight > 0 ? pool.weight : 1;": _EMPTIED,
        "for (std::size_t k = 0; k < into.mean.size() && weight > 0; ++k)": _EMPTIED,
    },
    "cpp/sightline/distill/distilled_tree/bins.cpp": {
        "for (int digits = 0; digits < 17; ++digits) {": _GUARD,
    },
    "cpp/sightline/distill/distilled_tree/grow.cpp": {
        "if (!node_rows_.of(child).empty()) fit_(node_rows_.of(child), tree_[child]);": _GUARD,
    },
    "cpp/sightline/distill/distilled_tree/refine.cpp": {
        "for (int i = 0; i < kMaxRegrowths; ++i) {": _SETTLED,
    },
    "cpp/sightline/distill/distilled_tree/search_cache.hpp": {
        "if (found_.size() < kMaxEntries) found_.emplace(key, found);": _CACHE,
    },
    "cpp/sightline/distill/distilled_tree/small_tree.cpp": {
        "if (sums_.size() == 2 && rows_.has_full_targets()) {": _IN_FULL,
        "for (std::size_t i = 0; i < sorted_.size(); ++i) {": _GUARD,
        "if (2 * passed == total && i + 1 < sorted_.size()) {": _GUARD,
    },
    "cpp/sightline/distill/distilled_tree/small_tree.hpp": {
        "if (rows.n_classes() != 2 || targets == nullptr || rows.has_charges() || "
        "!(objective.target > 0)) {": _IN_FULL,
    },
    "cpp/sightline/distill/ism/forest.cpp": {
        "return tests_.first_open(context, f) <= index && index < tests_.end_open(context, f);": _GUARD,
    },
    "cpp/sightline/distill/meta_knn/case_views.cpp": {
        ": width_(n_cases == 0 ? 0 : row_major.size() / n_cases),": _GUARD,
    },
    "cpp/sightline/distill/meta_knn/member_selection.cpp": {
        "if (labels_.winner(votes.data()) != labels_[row]) wrong.fetch_add(1, std::memory_order_relaxed);": (
            _GUARD
        ),
    },
    "cpp/sightline/distill/rule_set/candidates.cpp": {
        "if (known.rows != rows) continue;": _SAME_HASH,
        "if (known.sources.back() != tree) known.sources.push_back(tree);": _GUARD,
    },
    "cpp/sightline/distill/rule_set/shortening.cpp": {
        "const double mean = all.rows > 0 ? all.sum / all.rows : 0;": _GUARD,
    },
    "cpp/sightline/distill/rule_set/vote_fit.cpp": {
        "const double factor = cost > 0 ? wanted / cost : 0.0;": _GUARD,
    },
    "cpp/sightline/learn/c45/branches.cpp": {
        "return above == distinct.begin() ? threshold : *(above - 1);": _GUARD,
    },
    "cpp/sightline/learn/c45/grown_tree.cpp": {
        "if (nodes.back().count_row + 1 == counts.size()) counts.drop_last();": _GUARD,
    },
    "cpp/sightline/learn/c45/growth_cache.cpp": {
        "return a.depth == b.depth && std::ranges::equal(rows_of(a), rows_of(b)) && "
        "std::ranges::equal(weights_of(a), weights_of(b));": _SAME_HASH,
    },
    "cpp/sightline/learn/c45/measures.hpp": {
        "inline bool at_least(double a, double b) { return b - a < kTolerance || a >= b; }": _INFINITE,
        "inline bool at_most(double a, double b) { return a - b < kTolerance || a <= b; }": _INFINITE,
    },
    "cpp/sightline/learn/c45/prune.cpp": {
        "while (n_leaves > *options.max_leaves && !twigs.empty()) {": _GUARD,
    },
    "cpp/sightline/learn/c45/row_stacks.cpp": {"if (top.n_sorted.empty()) return;": _GUARD},
    "cpp/sightline/learn/c45/row_stacks.hpp": {
        "std::span<const double> weights() const { return tail(rows_.value, unit_weights() ? 0 : "
        "frames_.back().n_rows); }": _GUARD,
        "return n_sorted.empty() ? 0 : n_sorted[feature];": _GUARD,
    },
    "cpp/sightline/learn/c45/split.cpp": {
        "if (at_most(best.gain, 0) || best.cut == 0) return best;": _GUARD,
    },
    "cpp/sightline/learn/setgen/evaluation.cpp": {
        "if (!folds_.empty() && folds_[0].growth_cache) {": _GUARD,
        "const double features = columns_.size() == 0 ? 0 : static_cast<double>(n_features) / "
        "static_cast<double>(columns_.size());": _GUARD,
    },
    "cpp/sightline/learn/subspace_knn/leave_one_out.hpp": {
        "for (std::size_t row = 0; row < n_ && nearest.size() < k_; ++row) {": _GUARD,
    },
    "cpp/sightline/learn/subspace_knn/members.cpp": {
        "const std::size_t width = queries.n_rows() == 0 ? 0 : lists.size() / queries.n_rows();": _GUARD,
    },
    "cpp/sightline/learn/subspace_knn/nearest_list.hpp": {
        "if (distance > threshold_ || distance == kNever || (is_full && distance == threshold_ && "
        "row > entries_.back().row)) return;": _GUARD,
        "if (is_full && size_ == 0) return;": _GUARD,
    },
    "cpp/sightline/learn/subspace_knn/search.cpp": {
        "if (cases_.labels.winner(share) != cases_.labels[row]) wrong.fetch_add(1, "
        "std::memory_order_relaxed);": _GUARD,
    },
    "cpp/sightline/learn/subspace_knn/subset_cache.hpp": {
        "if (entries_.size() >= n_kept_) entries_.clear();": _CACHE,
    },
    "cpp/sightline/load/json_document.cpp": {
        "if (values_.empty() || values_.back().kind != JsonKind::kString) return false;": _GUARD,
    },
    "cpp/sightline/load/nested_nodes.cpp": {
        'if (!cursor_.is_at_end()) cursor_.fail("unexpected data after the end");': _GUARD,
    },
    "cpp/sightline/load/string_table.cpp": {
        "if (slot.word != word || slot.size != static_cast<std::uint32_t>(string.size())) continue;": (
            _SAME_HASH
        ),
    },
    "cpp/sightline/load/xml_elements.cpp": {
        'if (elements_.name.size() >= kMaxElements) fail("too many elements");': _LIMIT,
    },
    "cpp/sightline/model/decision_nodes.cpp": {
        "if (shares[b] == 1.0 && first_whole < 0) first_whole = static_cast<std::int32_t>(b);": _GUARD,
    },
    "cpp/sightline/model/routes.cpp": {
        "if (is_equal(it->second, edges)) return it->second;": _SAME_HASH,
        "if (static_cast<std::size_t>(routes_.begin[route + 1]) - begin != edges.size()) return false;": (
            _SAME_HASH
        ),
        "if (routes_.node[begin + i] != edge.node || routes_.branch[begin + i] != edge.branch ||": _SAME_HASH,
    },
    "cpp/sightline/model/hash_consed_nodes.cpp": {
        "if (size() == static_cast<std::size_t>(std::numeric_limits<Id>::max())) "
        'throw std::length_error("too many nodes");': _LIMIT,
    },
    "cpp/sightline/proof/certify.cpp": {
        "if (first_.memory() + second_.memory() > kMaxPathBytes) budget_.exhaust();": _LIMIT,
    },
    "cpp/sightline/proof/counterfactual.cpp": {"if (bytes_ > kMaxBytes) budget_.exhaust();": _LIMIT},
    "cpp/sightline/proof/largest_difference.cpp": {
        "if (first_.memory() + second_.memory() + bytes > kMaxBytes) budget_.exhaust();": _LIMIT,
    },
    "cpp/sightline/proof/merge.cpp": {"if (model_.memory() > kMaxPathBytes) budget_.exhaust();": _LIMIT},
    "cpp/sightline/proof/region_search.cpp": {
        "for (const Demand& demand : demands_) {": _ROUNDED,
        "if (!asked) return;  // Every row of the box gets the same answer, and its nearest row "
        "does not meet the demands.": _ROUNDED,
    },
    "cpp/sightline/proof/smallest/atoms.cpp": {
        "bool cuts_numbers(double threshold) { return std::isfinite(threshold) && "
        "threshold < std::numeric_limits<double>::max(); }": _GUARD,
    },
    "cpp/sightline/proof/smallest/diagram.cpp": {"if (cache_.size() >= kMaxCache) return;": _LIMIT},
    "cpp/sightline/proof/smallest/label_diagram.cpp": {
        "if (memory() > max_bytes_) budget_->exhaust();": _LIMIT,
        "if (known.hash == hash && known.size == key_.size() &&": _SAME_HASH,
    },
    "cpp/sightline/proof/smallest/smallest_merge.cpp": {
        "const bool for_rows = options_.weigh_rows && options_.rows != nullptr;": _GUARD,
        "return seconds() < options_.max_seconds && label_->memory() < kMaxBytes;": _LIMIT,
        "bool may_build() const { return seconds_for_parts() > 0 && label_->memory() < kMaxBytes; }": _LIMIT,
        "PlanSearch<RowStates> search(states, [&] { return goes_on() && label_->memory() + states.memory() "
        "< kMaxBytes; });": _LIMIT,
    },
}
"""Why no test takes a branch of a kernel, in the same way."""

_CONDITION = re.compile(r"\b(if|for|while|switch|case)\b|&&|\|\||\?")


@dataclass(frozen=True)
class Counted:
    """Lines and branches of one source file, how many of them ran, and how many others have a reason.

    Branches of Python are counted, but reasons are not given for them.
    """

    part: str
    lines: int
    lines_run: int
    branches: int
    branches_run: int
    lines_explained: int = 0
    branches_explained: int | None = None


def python_files(report: dict[str, Any]) -> Iterator[Counted]:
    """Read a report of coverage.py."""
    for path, found in report["files"].items():
        counts = found["summary"]
        own = path.rpartition("sightline/")[2]
        folder, _, rest = own.partition("/")
        yield Counted(
            f"Python: {folder if rest else 'the package itself'}",
            counts["num_statements"],
            counts["covered_lines"],
            counts["num_branches"],
            counts["covered_branches"],
            n_explained(reasons_of(own, found["missing_lines"])),
        )


def source_lines(path: str) -> list[str]:
    file = (ROOT if path.startswith("cpp/") else SOURCE) / path
    return [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]


def reasons_at(path: str, given: dict[str, dict[str, str]]) -> dict[str, tuple[str, str]]:
    """Return where a reason is given and which one, by the text of a line of a file."""
    places = [place for place in given if path == place or (place[-1] == "/" and path.startswith(place))]
    return {text: (place, reason) for place in places for text, reason in given[place].items()}


def reasons_of(path: str, numbers: list[int]) -> Iterator[tuple[str, str] | None]:
    """Yield, per line of a file, where a reason is given and which one; None where there is none."""
    why = reasons_at(path, REASONS)
    lines = source_lines(path) if why and numbers else []
    for number in numbers:
        yield why.get(lines[number - 1], why.get("")) if why else None


def branch_reasons_of(path: str, numbers: list[int]) -> Iterator[tuple[str, str] | None]:
    """Yield the same per branch that no test takes, given the line of each."""
    why = reasons_at(path, BRANCH_REASONS)
    lines = source_lines(path) if numbers else []
    counts = Counter(numbers)
    for number, of_line in zip(numbers, reasons_of(path, numbers), strict=True):
        text = lines[number - 1]
        general = general_reason(text, counts[number])
        yield of_line or why.get(text) or (("cpp/", general) if general else None)


def general_reason(text: str, n_branches: int) -> str | None:
    """Return why no test takes so many branches of a line, if its text alone says so."""
    if "catch (" in text:
        return _CAUGHT
    if text.startswith("switch (") and n_branches == 1:
        return _EVERY_CASE
    return None if _CONDITION.search(text) else _COMPILER


def missing_python(report: dict[str, Any]) -> dict[str, list[int]]:
    """Return the lines of each file that did not run, from a report of coverage.py."""
    return {path.rpartition("sightline/")[2]: file["missing_lines"] for path, file in report["files"].items()}


def line_counts(file: dict[str, Any]) -> Counter[int]:
    """Return how often each line of a file ran, by gcovr; copies of a template are summed."""
    counts: Counter[int] = Counter()
    for line in file["lines"]:
        counts[line["line_number"]] += line["count"]
    return counts


def missing_cpp(report: dict[str, Any]) -> dict[str, list[int]]:
    """Return the lines of each file that did not run, from all lines of gcovr."""
    return {
        file["file"]: sorted(number for number, count in line_counts(file).items() if not count)
        for file in report["files"]
    }


def template_of(function: str) -> str:
    """Return the name of a C++ function without arguments, so that copies of a template have the same."""
    shorter = re.sub(r"<[^<>]*>|\([^()]*\)", "", function)
    while shorter != function:
        function, shorter = shorter, re.sub(r"<[^<>]*>|\([^()]*\)", "", shorter)
    return function.removesuffix(" const").rpartition(" ")[2]


def branch_counts(file: dict[str, Any]) -> dict[int, list[int]]:
    """Return how often each branch of each line was taken; copies of a template count as one.

    Once a block has run, gcov tells which of its branches only an exception takes, and gcovr drops it. So
    copies in which a block did not run say nothing if it ran in another. One branch alone is a call.
    """
    blocks: dict[tuple[int, str, int], Counter[int]] = defaultdict(Counter)
    for line in file["lines"]:
        copy: dict[int, dict[int, int]] = defaultdict(dict)
        for branch in line["branches"]:
            copy[branch.get("source_block_id", -1)][branch["branchno"]] = branch["count"]
        for block, found in copy.items():
            known = blocks[line["line_number"], template_of(line["function_name"]), block]
            if any(found.values()) and not any(known.values()):
                known.clear()
            if any(found.values()) or not any(known.values()):
                known.update(found)
    counts: dict[int, list[int]] = defaultdict(list)
    for (number, _, _), block_counts in blocks.items():
        if len(block_counts) > 1:
            counts[number] += block_counts.values()
    return counts


def missing_branches(report: dict[str, Any]) -> dict[str, list[int]]:
    """Return the line of each branch that no test takes, from all lines of gcovr."""
    return {
        file["file"]: [
            number for number, counts in sorted(branch_counts(file).items()) for count in counts if not count
        ]
        for file in report["files"]
    }


def reasons(
    missing: dict[str, list[int]],
    find: Callable[[str, list[int]], Iterator[tuple[str, str] | None]] = reasons_of,
) -> Iterator[tuple[str, int, str]]:
    """Yield each file or folder with a reason, and the number of lines or branches that it explains."""
    counts = Counter(
        found for path, numbers in missing.items() for found in find(path, numbers) if found is not None
    )
    yield from ((f"`{place}`", count, reason) for (place, reason), count in sorted(counts.items()))


def n_explained(found: Iterator[tuple[str, str] | None]) -> int:
    return sum(reason is not None for reason in found)


def cpp_files(report: dict[str, Any]) -> Iterator[Counted]:
    """Read all lines of gcovr."""
    lines_left, branches_left = missing_cpp(report), missing_branches(report)
    for file in report["files"]:
        path = file["file"]
        n_lines = len(line_counts(file))
        n_branches = sum(map(len, branch_counts(file).values()))
        yield Counted(
            f"C++: {path.rpartition('cpp/sightline/')[2].split('/')[0]}",
            n_lines,
            n_lines - len(lines_left[path]),
            n_branches,
            n_branches - len(branches_left[path]),
            n_explained(reasons_of(path, lines_left[path])),
            n_explained(branch_reasons_of(path, branches_left[path])),
        )


def share(run: int, total: int) -> str:
    return f"{100 * run / total:.1f}% of {total:,}" if total else "none"


def table(files: Iterator[Counted]) -> Iterator[tuple[str, str, str, int, int | str]]:
    """Sum the files of each part."""
    for part, group in groupby(sorted(files, key=lambda file: file.part), key=lambda file: file.part):
        own = list(group)
        explained = [file.branches_explained for file in own if file.branches_explained is not None]
        branches_left = sum(file.branches - file.branches_run for file in own) - sum(explained)
        yield (
            part,
            share(sum(file.lines_run for file in own), sum(file.lines for file in own)),
            share(sum(file.branches_run for file in own), sum(file.branches for file in own)),
            sum(file.lines - file.lines_run - file.lines_explained for file in own),
            branches_left if explained else "",
        )


def print_unexplained(cpp: dict[str, Any]) -> None:
    """Print each line of the kernels with branches that no test takes and no reason explains."""
    for path, numbers in missing_branches(cpp).items():
        found = zip(numbers, branch_reasons_of(path, numbers), strict=True)
        for number, count in Counter(number for number, reason in found if reason is None).items():
            print(f"{path}:{number}: {count} of the branches: {source_lines(path)[number - 1]}")


def main() -> None:
    python = json.loads((FOLDER / "python.json").read_text(encoding="utf-8"))
    cpp = json.loads((FOLDER / "cpp_lines.json").read_text(encoding="utf-8"))
    rows = [*table(python_files(python)), *table(cpp_files(cpp))]
    header = ["part", "lines that the tests run", "branches", "lines without a test or a reason"]
    header.append("branches without a test or a reason")
    fill(
        "coverage",
        f"Counted at commit {commit()}, without the thorough tests:\n\n{markdown(header, rows)}",
        PAGE,
    )
    lines = markdown(
        ["file", "lines", "why no test runs them"], reasons(missing_python(python) | missing_cpp(cpp))
    )
    branches = markdown(
        ["file", "branches", "why no test takes them"], reasons(missing_branches(cpp), branch_reasons_of)
    )
    fill(
        "reasons",
        f"Lines that no test runs, and why:\n\n{lines}\n\n"
        f"Branches of the kernels that no test takes, and why:\n\n{branches}",
        PAGE,
    )
    for path, found in python["files"].items():
        if found["missing_lines"]:
            print(f"{path}: {', '.join(map(str, found['missing_lines']))}")
    print_unexplained(cpp)


if __name__ == "__main__":
    main()

from benchmarks._ratio import Ratio
from benchmarks.history import Run, read_runs, record, worsened
from docs.tools.bench_history import PEERS, peer_of


def run(release, commit, **ratios):
    return Run(release, commit, "numpy 2.0", ratios, dict.fromkeys(ratios, 1.0))


def test_runs_come_back_as_they_were_recorded(tmp_path):
    path = tmp_path / "history.tsv"
    runs = [run("0.1", "a", load=0.5), run("0.2", "b", load=0.25, fit=2.0)]
    for each in runs:
        record(each, path)
    assert read_runs(path) == runs
    record(run("0.2", "b", load=0.125), path)  # a part of the benchmarks once more
    assert read_runs(path) == [runs[0], run("0.2", "b", load=0.125, fit=2.0)]


def test_a_ratio_may_worsen_by_a_fifth_from_release_to_release():
    before = [run("0.1", "a", load=0.5, fit=1.0), run("0.2", "b", load=0.9, fit=1.0)]
    assert worsened([*before, run("0.2", "c", load=0.6, fit=1.2, new=9.0)]) == []
    assert worsened([*before, run("0.2", "c", load=0.61, fit=1.0)]) == ["load: 0.5 in 0.1 (a), 0.61 now."]


def test_runs_of_one_release_are_compared_with_each_other():
    assert worsened([run("0.1", "a", load=0.5)]) == []
    assert worsened([run("0.1", "a", load=0.5), run("0.1", "b", load=0.7)]) == [
        "load: 0.5 in 0.1 (a), 0.7 now."
    ]


def test_a_run_names_the_versions_of_the_peers():
    """Also where a library comes from a package of another name."""
    measured = Run.of([Ratio("load", 1.0, 2.0, "a peer", bound=1.0)])
    assert measured.ratios == {"load": 0.5}
    assert "sklearn 1." in measured.versions


def test_the_page_says_what_every_job_is_compared_with():
    jobs = {job for run in read_runs() for job in run.ratios}
    assert not [job for job in jobs if not peer_of(job)]
    assert {peer_of(job) for job in jobs} == set(PEERS.values())

"""Passes on Dask: the same bytes for any cluster, workers and partitions, also after a lost worker."""

import os

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
import pytest
from dask.distributed import Client, LocalCluster
from dask_cluster import dask_threads
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.exceptions import DataError


def frame(n_rows=1200):
    random = np.random.default_rng(2)
    made = pd.DataFrame(random.normal(size=(n_rows, 3)), columns=list("abc"))
    made["job"] = random.choice(["cook", "baker", "none"], n_rows)
    made.loc[::4, "a"] = np.nan
    made["w"] = random.uniform(0.2, 2, n_rows)
    made["paid"] = np.where(made["b"] + made["c"] > 0, "yes", "no")
    return made


@pytest.fixture(scope="module")
def forest():
    made = frame(300)
    return RandomForestClassifier(10, random_state=0).fit(made[["b", "c"]], made["paid"])


def fitted(source, **options):
    """A tree with fractional rows and weights: sums that depend on their order, if they are not exact."""
    rows = sl.Rows(source, "paid", "w", sample_size=300, seed=1, **options)
    tree = sl.C45Classifier(max_leaves=8).fit(rows)
    counts = [counts.tobytes() for _, counts in sorted(tree.tally_.counts.items())]
    return tree.to_json(), counts


@pytest.fixture(scope="module")
def cluster():
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with (
        dask.config.set(
            {
                "distributed.worker.memory.terminate": False,
                "distributed.scheduler.allowed-failures": 1,
                "distributed.comm.timeouts.connect": "120s",  # a busy machine starts processes slowly
            }
        ),
        LocalCluster(n_workers=1, **options) as made,
    ):
        yield made


def test_a_cluster_and_its_partitions_change_no_byte():
    expected = fitted(frame())
    with dask_threads():
        assert fitted(dd.from_pandas(frame(), npartitions=7)) == expected


@pytest.mark.thorough
def test_workers_partitions_and_a_lost_worker_change_no_byte(cluster):
    expected = fitted(frame())
    one, many = (dd.from_pandas(frame(), npartitions=n) for n in (1, 37))
    assert fitted(one) == expected  # the default scheduler
    with Client(cluster) as client:
        assert fitted(many) == expected
        cluster.scale(2)
        client.wait_for_workers(2)
        pid = next(iter(client.run(os.getpid).values()))
        assert fitted(many.map_partitions(_killing, pid, meta=many._meta)) == expected
        assert pid not in client.run(os.getpid).values()
        cluster.scale(4)
        client.wait_for_workers(4)
        assert fitted(many) == expected


def _killing(part, pid):
    """Kill a worker midway, once: the first that this process is."""
    if os.getpid() == pid:
        psutil.Process(pid).kill()
    return part


@pytest.mark.thorough
def test_a_partition_that_kills_every_worker_is_one_sentence(cluster):
    source = dd.from_pandas(frame(60), npartitions=2)
    deadly = source.map_partitions(_dying, meta=source._meta)
    with (
        Client(cluster),
        pytest.raises(DataError, match=r"^A Dask worker died repeatedly on the same part .*smaller"),
    ):
        fitted(deadly)


def _dying(part):
    psutil.Process().kill()
    return part


def test_a_distilled_tree_is_that_of_the_frame_in_memory(forest):
    made = frame()[["b", "c", "paid"]]
    expected = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0).fit(
        made[["b", "c"]], made["paid"]
    )
    found = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0)
    found.fit(sl.Rows(dd.from_pandas(made, npartitions=3), "paid"))
    assert found.to_json() == expected.to_json()


def test_a_bad_partition_is_named():
    def spoiled(part, partition_info=None):
        return part.assign(b="text") if partition_info and partition_info["number"] == 2 else part

    source = dd.from_pandas(frame(), npartitions=4)
    bad = source.map_partitions(spoiled, meta=source._meta)
    with pytest.raises(
        DataError, match=r"^partition 2: column 'b' holds categories, but numbers in earlier parts"
    ):
        fitted(bad)
    with pytest.raises(DataError, match=r"^A checkpoint needs rows in files\."):
        fitted(source, checkpoint="kept")

"""A Dask cluster in this process, for what joblib runs."""

from contextlib import contextmanager

import distributed
import joblib


@contextmanager
def joblib_on_dask():
    """Let joblib run its jobs on two threads of a cluster."""
    options = {"processes": False, "dashboard_address": ":0", "protocol": "inproc"}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, **options) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield

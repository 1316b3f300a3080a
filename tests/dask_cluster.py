"""A Dask cluster in this process."""

from contextlib import contextmanager

import distributed
import joblib


@contextmanager
def dask_threads():
    """Let Dask run its tasks on two threads of a cluster."""
    options = {"processes": False, "dashboard_address": ":0", "protocol": "inproc"}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, **options) as cluster,
        distributed.Client(cluster),
    ):
        yield


@contextmanager
def joblib_on_dask():
    """Let joblib run its jobs there."""
    with dask_threads(), joblib.parallel_config(backend="dask"):
        yield

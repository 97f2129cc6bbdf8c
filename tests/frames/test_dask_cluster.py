"""Dask for real: a scheduler and two workers, 20 million rows, and a worker that is killed."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from spark_cluster import eventually

from clustervet import Contingency, read_tables
from clustervet.errors import FileError
from clustervet.frames import clusters
from clustervet.frames.engines import engine_for

ROWS, PARTS = 20_000_000, 100


def part(k):
    """One part of the rows 0, 1, ...: their remainders by 7 and by 11."""
    import numpy as np
    import pandas as pd

    numbers = np.arange(k * (ROWS // PARTS), (k + 1) * (ROWS // PARTS))
    return pd.DataFrame({"truth": numbers % 7, "pred": numbers % 11})


@pytest.fixture
def scheduler():
    from distributed import LocalCluster

    # The scheduler lives here; its two workers are processes that it starts again if they die.
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        memory_limit="1GB",
    ) as made:
        yield made


def test_a_killed_worker_changes_no_count(scheduler):
    import dask.dataframe as dd

    found = []
    with engine_for(scheduler.scheduler_address) as engine:
        frame = dd.from_map(part, range(PARTS))
        job = threading.Thread(
            target=lambda: found.append(Contingency.from_frame(frame, truth="truth", pred="pred"))
        )
        job.start()
        victim = eventually(lambda: busy(scheduler))
        os.kill(victim, signal.SIGKILL)
        assert job.is_alive()
        job.join(180)
        assert engine.session.status == "running"
    assert found[0].to_dict() == {(r % 7, r % 11): (ROWS - r + 76) // 77 for r in range(77)}


def test_a_cluster_without_workers_is_given_up(tmp_path, monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(clusters, "FIRST", 3.0)
    path = tmp_path / "labels.csv"
    path.write_text("y,c\n0,1\n1,0\n", encoding="utf-8")
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as made,
        pytest.raises(FileError, match=r"^tcp://\S+ has had no worker for 3 seconds\.$"),
    ):
        read_tables(path, "y", "c", engine=made.scheduler_address)


def test_a_cluster_that_loses_all_workers_is_given_up(scheduler, monkeypatch):
    import dask.dataframe as dd

    monkeypatch.setattr(clusters, "LAST", 3.0)

    def count():
        with engine_for(scheduler.scheduler_address):
            frame = dd.from_map(part, range(PARTS))
            threading.Timer(2.0, scheduler.scale, args=(0,)).start()
            Contingency.from_frame(frame, truth="truth", pred="pred")

    with pytest.raises(FileError, match="has had no worker for 3 seconds"):
        count()


def busy(scheduler):
    """The process of a worker that runs a task, once some tasks are done and many are to come."""
    known = scheduler.scheduler
    done = sum(task.state == "memory" for task in list(known.tasks.values()))
    left = sum(task.state in ("waiting", "queued") for task in list(known.tasks.values()))
    if done < 3 or left < 20:
        return None
    address = next((w.address for w in list(known.workers.values()) if w.processing), None)
    return next((w.pid for w in scheduler.workers.values() if w.worker_address == address), None)

"""Spark for real: a master and two workers, 20 million rows, and a worker that is killed."""

from __future__ import annotations

import threading

import pytest
from engine_frames import spark_session
from spark_cluster import HOST, cluster, eventually, fetched, free_port

from clustervet import Contingency, read_tables
from clustervet.errors import FileError
from clustervet.frames import clusters
from clustervet.frames.engines import engine_for

ROWS = 20_000_000


def expected():
    """Remainders of 0, 1, ..., by 7 and by 11: each pair of them is one remainder by 77."""
    return {(r % 7, r % 11): (ROWS - r + 76) // 77 for r in range(77)}


def rows(session):
    numbers = session.range(0, ROWS, 1, 100)
    return numbers.selectExpr("id % 7 AS `the.truth`", "id % 11 AS pred")


def survives(frame, page, made):
    """Count a frame, kill a worker in the middle of it, and give the table."""
    found = []
    job = threading.Thread(
        target=lambda: found.append(Contingency.from_frame(frame, truth="the.truth", pred="pred"))
    )
    job.start()
    eventually(lambda: under_way(page))
    made.kill(made.workers.pop())
    assert job.is_alive()
    job.join(180)
    eventually(lambda: len(made.state()["workers"]) == 1)
    return found[0].to_dict()


def under_way(page):
    """Whether the job is in its middle: some tasks are done and many are to come."""
    root = f"http://{HOST}:{page}/api/v1/applications"
    stages = fetched(f"{root}/{fetched(root)[0]['id']}/stages?status=active")
    return any(3 <= stage["numCompleteTasks"] <= 80 for stage in stages)


def test_a_killed_worker_changes_no_count(tmp_path):
    page = free_port()
    shown = {"spark.ui.enabled": "true", "spark.ui.port": str(page)}
    with cluster(tmp_path) as made:
        made.add_workers(2)
        small = {"spark.executor.memory": "512m", "spark.sql.shuffle.partitions": "4"}
        with spark_session(made.url, small | shown) as session:
            with engine_for(made.url) as engine:
                assert engine.session is session
            assert survives(rows(session), page, made) == expected()
        made.add_workers(1)
        with engine_for(made.connect(shown)) as engine:
            assert survives(rows(engine.session), page, made) == expected()


@pytest.mark.parametrize("seconds", [0.0, 5.0])  # before the work begins, and in its middle
def test_a_cluster_without_workers_is_given_up(tmp_path, monkeypatch, seconds):
    monkeypatch.setattr(clusters, "FIRST", seconds)
    path = tmp_path / "labels.csv"
    path.write_text("y,c\n0,1\n1,0\n", encoding="utf-8")
    with (
        cluster(tmp_path) as made,
        pytest.raises(FileError, match=rf"^spark://\S+ has had no worker for {seconds:g} seconds"),
    ):
        read_tables(path, "y", "c", engine=made.url)

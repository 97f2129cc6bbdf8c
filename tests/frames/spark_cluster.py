"""A Spark cluster on this machine, for tests: a standalone master and workers, as processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HOST = "127.0.0.1"
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def eventually(question, seconds=120):
    """What a question gives once it gives anything; a question may fail in the meantime."""
    last = None
    for _ in range(int(seconds * 10)):
        try:
            if answer := question():
                return answer
        except (OSError, ValueError) as error:
            last = error
        time.sleep(0.1)
    raise TimeoutError(f"{question} gave nothing in {seconds} s: {last}")


def listening(port):
    with socket.create_connection((HOST, port), timeout=1):
        return True


def fetched(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


class Cluster:
    """Processes of one cluster; each is the head of its own group, and `stop` ends them all."""

    def __init__(self, folder):
        import pyspark

        self.folder, self.processes, self.workers = Path(folder), [], []
        self.home = Path(pyspark.__file__).parent
        self.port, self.page = free_port(), free_port()
        self.url = f"spark://{HOST}:{self.port}"

    def start(self):
        self.java(MASTER, "--host", HOST, "--port", self.port, "--webui-port", self.page)
        eventually(self.state)
        return self

    def add_workers(self, number):
        """Start workers of one core each, and wait until the master knows them."""
        known = len(self.state()["workers"])
        options = ("--host", HOST, "--cores", 1, "--memory", "1g", "--webui-port", 0)
        place = self.folder / "work"
        for _ in range(number):
            self.workers.append(self.java(WORKER, *options, "--work-dir", place, self.url))
        eventually(lambda: len(self.state()["workers"]) == known + number)

    def java(self, main, *arguments):
        """Start a class of Spark."""
        return self.process([self.home / "bin" / "spark-class", main, *arguments])

    def connect(self, more):
        """Start a Spark Connect server on the cluster and give its address."""
        port = free_port()
        settings = {
            "spark.connect.grpc.binding.port": port,
            "spark.connect.grpc.binding.address": HOST,
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.driver.memory": "1g",
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "4",
        } | more
        options = [x for k, v in settings.items() for x in ("--conf", f"{k}={v}")]
        submit = "org.apache.spark.deploy.SparkSubmit"
        self.java(submit, "--master", self.url, "--class", CONNECT, *options, "spark-internal")
        eventually(lambda: listening(port))
        return f"sc://{HOST}:{port}"

    def process(self, command):
        log = (self.folder / f"{len(self.processes)}.log").open("wb")
        environment = os.environ | {
            "SPARK_LOCAL_IP": HOST,
            "SPARK_HOME": str(self.home),
            "SPARK_DAEMON_MEMORY": "600m",
            "PYSPARK_PYTHON": sys.executable,
        }
        with log:
            started = subprocess.Popen(
                [str(part) for part in command],
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(started)
        return started

    def state(self):
        """What the master says about itself."""
        state = fetched(f"http://{HOST}:{self.page}/json/")
        return state | {"workers": [w for w in state["workers"] if w["state"] == "ALIVE"]}

    def kill(self, process):
        """End a process and its children, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self):
        for process in reversed(self.processes):
            self.kill(process)


@contextlib.contextmanager
def cluster(folder):
    """A master, which is gone afterwards with its workers, whatever happens."""
    made = Cluster(folder)
    try:
        yield made.start()
    finally:
        made.stop()

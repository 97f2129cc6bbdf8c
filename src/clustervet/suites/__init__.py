"""Algorithms over runs and data sets, and which differences between them the sets can show.

Law: the answer is the same for any number of jobs, and after any number of interruptions. An
algorithm is ranked only on sets that all algorithms have a score for.
"""

from __future__ import annotations

from clustervet.suites.benchmark import benchmark
from clustervet.suites.result import Benchmark, BenchmarkScore, BenchmarkSet

__all__ = ["Benchmark", "BenchmarkScore", "BenchmarkSet", "benchmark"]

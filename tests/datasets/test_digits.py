from __future__ import annotations

from clustervet.datasets.digits import clustered_digits


def test_every_algorithm_makes_ten_clusters_but_one():
    found = clustered_digits()
    assert found.features.shape == (1_797, 64)
    assert sorted(set(found.truth.tolist())) == list(range(10))
    kinds = {name: sorted(set(labels.tolist())) for name, labels in found.predictions.items()}
    assert kinds.pop("hdbscan")[0] == -1
    assert kinds == {key: list(range(10)) for key in kinds}
    assert len(kinds) == 5

"""Determinants of the scatter within clusters and of all points: volumes, whatever the axes.

W is the sum over clusters of the products of steps from the centroid, W_k that of one cluster, and
T that of steps from the mean of all points. Unlike distances, ratios of determinants do not change
when features are scaled or mixed linearly.
"""

from __future__ import annotations

import math

import numpy as np

from clustervet._checks import one_of
from clustervet.errors import FeatureError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.likelihood import Floats, SingularError, mixture_of
from clustervet.registry import measure

SHAPES = ("tied", "full")
VOLUME_BIAS = "it favours elliptic clusters of similar shape"
# Logarithms of the least and the largest float.
LOGS = (-708.0, 709.0)


@measure(
    title="Rubin's index",
    symbol="|T|/|W|",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(1, math.inf),
    aliases=("det_ratio", "friedman_rubin"),
    equation="|T| / |W|",
    reference="Friedman & Rubin 1967",
    meaning="The volume of all points over the volume of the clusters laid on one another.",
    use="Features have different scales or are correlated: no linear change of them matters.",
    avoid="Numbers of clusters differ: it always rises with them. NbClust's is the ratio of the "
    "traces, not of the determinants; " + VOLUME_BIAS + ".",
    weighted=True,
)
def rubin(geometry: Geometry) -> float:
    """Determinant of the total scatter over that of the scatter within clusters.

    >>> round(rubin([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    26.0
    """
    return _float(_log_ratio(geometry), "take its logarithm, scott_symons")


@measure(
    title="Scott-Symons criterion",
    symbol="SSy",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="nats",
    aliases=("scott", "log_det_ratio"),
    equation="n ln(|T| / |W|); with free shapes n ln|T/n| - sum_k n_k ln|W_k / n_k|",
    reference="Scott & Symons 1971",
    meaning="Twice the logarithm of how much likelier Gaussian clusters are than one, without the "
    "weights of clusters.",
    use="Clusters are Gaussian, of one shape ('tied') or of any shapes ('full').",
    avoid="Numbers of clusters differ: it always rises with them. Take bic; " + VOLUME_BIAS + ".",
    weighted=True,
    sized=True,
)
def scott_symons(geometry: Geometry, covariance: str = "tied") -> float:
    """Logarithm of the likelihood ratio of Gaussian clusters and one cluster, twice.

    Parameters
    ----------
    covariance : {'tied', 'full'}, default 'tied'
        Whether clusters share a covariance or have one each.

    Notes
    -----
    'tied' is Log_Det_Ratio of clusterCrit, and Scott of NbClust where the mean of each feature is
    0. Scott_Symons of clusterCrit is sum_k n_k ln|W_k / n_k|: n ln|T / n| minus the value for
    'full', so lower is better there.

    Examples
    --------
    >>> round(scott_symons([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    13.032386
    """
    one_of(covariance, "covariance", SHAPES)
    found = geometry.n * _log_ratio(geometry)
    if covariance == "tied":
        return found
    roots = _roots(geometry, "full")
    logs = [size * _log_det(root) for size, root in zip(geometry.sizes, roots, strict=True)]
    return max(0.0, found + geometry.n * _log_within(geometry) - math.fsum(logs))


@measure(
    title="Marriott's index",
    symbol="k²|W|",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    aliases=("marriot", "ksq_detw"),
    equation="k^2 |W|",
    reference="Marriott 1971",
    meaning="The volume of the clusters laid on one another, times the square of their number.",
    use="You choose a number of clusters for the same points: for uniform points k^2 |W| stays as "
    "it is, so its least value stands out.",
    avoid="Scales of features differ between data sets: it is a product of squares of all of them; "
    + VOLUME_BIAS
    + ".",
    weighted=True,
    no_interval="it grows with a power of the number of points",
)
def marriott(geometry: Geometry) -> float:
    """Squared number of clusters times the determinant of the scatter within them.

    >>> round(marriott([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    16.0
    """
    unit = 2 * geometry.exponent * math.log(2) + math.log(geometry.n)
    log = 2 * math.log(geometry.k) + _log_within(geometry) + geometry.d * unit
    return _float(log, "multiply the features by a constant first")


def _log_within(geometry: Geometry) -> float:
    """Logarithm of |W / n|."""
    return _log_det(_roots(geometry, "tied")[0])


def _log_ratio(geometry: Geometry) -> float:
    """Logarithm of |T| / |W|, which is |I + Z Z'| for Z Z' = W^-1 B, B the scatter of centroids.

    T itself would lose all digits of W where clusters are far apart.
    """
    from scipy.linalg import solve_triangular

    shares = geometry.sizes / geometry.n
    steps = geometry.centers.from_first()
    steps -= shares @ steps
    root = _roots(geometry, "tied")[0]
    spread = solve_triangular(root, (np.sqrt(shares)[:, None] * steps).T, lower=True)
    return math.fsum(np.log1p(np.linalg.svd(spread, compute_uv=False) ** 2))


def _roots(geometry: Geometry, covariance: str) -> list[Floats]:
    """Cholesky factors of the covariance that clusters share, or of each one's."""
    try:
        return mixture_of(geometry, covariance).scales
    except SingularError as error:
        raise UndefinedError(error.why, fault=error.fault) from None


def _log_det(root: Floats) -> float:
    """Logarithm of the determinant of a matrix with this Cholesky factor."""
    return 2 * math.fsum(np.log(np.diag(root)))


def _float(log: float, advice: str) -> float:
    """The number with this logarithm, if a float can hold it."""
    if not LOGS[0] < log < LOGS[1]:
        raise UndefinedError(
            f"it is about 1e{round(log / math.log(10)):+d}, which no float can hold; {advice}",
            fault=FeatureError,
        )
    return math.exp(log)

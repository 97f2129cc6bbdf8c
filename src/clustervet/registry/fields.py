"""The measures that each field uses, by the names that it gives them.

A field has a family of measures of its own, and uses some that are everybody's.
"""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """A field in which clusterings are judged.

    Parameters
    ----------
    title : str
        The name of the field.
    objects, classes, clusters : str
        What the field calls them.
    names : dict of str to str
        Keys of its measures by the names that it gives them, in its order.

    Examples
    --------
    >>> FIELDS["diarisation"].names["coverage"]
    'inverse_purity'
    """

    title: str
    objects: str
    classes: str
    clusters: str
    names: dict[str, str]


FIELDS = {
    "coreference": Field(
        title="Coreference resolution",
        objects="mentions",
        classes="key entities",
        clusters="response entities",
        names={
            "MUC precision": "muc_precision",
            "MUC recall": "muc_recall",
            "MUC F1": "muc_f1",
            "B³ precision": "bcubed_precision",
            "B³ recall": "bcubed_recall",
            "B³ F1": "bcubed_f1",
            "CEAF-m precision": "ceaf_m_precision",
            "CEAF-m recall": "ceaf_m_recall",
            "CEAF-m F1": "ceaf_m_f1",
            "CEAF-e precision": "ceaf_e_precision",
            "CEAF-e recall": "ceaf_e_recall",
            "CEAF-e F1": "ceaf_e_f1",
            "BLANC precision": "blanc_precision",
            "BLANC recall": "blanc_recall",
            "BLANC": "blanc_f1",
            "LEA precision": "lea_precision",
            "LEA recall": "lea_recall",
            "LEA F1": "lea_f1",
            "CoNLL average": "conll_f1",
        },
    ),
    "linkage": Field(
        title="Record linkage",
        objects="records",
        classes="true entities",
        clusters="predicted entities",
        names={
            "pairwise precision": "pair_precision",
            "pairwise recall": "pair_recall",
            "pairwise F": "pair_f1",
            "cluster precision": "cluster_precision",
            "cluster recall": "cluster_recall",
            "cluster F": "cluster_f1",
            "B-cubed precision": "bcubed_precision",
            "B-cubed recall": "bcubed_recall",
            "B-cubed F": "bcubed_f1",
            "closest cluster precision": "closest_cluster_precision",
            "closest cluster recall": "closest_cluster_recall",
            "closest cluster F1": "closest_cluster_f1",
            "generalized merge distance": "generalized_merge_distance",
            "variation of information": "variation_of_information",
        },
    ),
    "segmentation": Field(
        title="Image segmentation",
        objects="pixels",
        classes="true segments",
        clusters="found segments",
        names={
            "adapted Rand error": "adapted_rand_error",
            "adapted Rand precision": "pair_precision",
            "adapted Rand recall": "pair_recall",
            "variation of information": "variation_of_information",
            "VI split (false splits)": "inverse_conditional_entropy",
            "VI merge (false merges)": "conditional_entropy",
            "Rand index": "rand",
            "segmentation covering": "segmentation_covering",
            "panoptic quality (PQ)": "panoptic_quality",
            "recognition quality (RQ)": "recognition_quality",
        },
    ),
    "single_cell": Field(
        title="Single-cell biology",
        objects="cells",
        classes="cell types",
        clusters="clusters",
        names={
            "cluster ARI": "adjusted_rand",
            "cluster NMI": "v_measure",
            "isolated label F1": "isolated_label_f1",
            "silhouette": "silhouette",
        },
    ),
    "diarisation": Field(
        title="Speaker diarisation",
        objects="stretches of speech",
        classes="speakers",
        clusters="found speakers",
        names={
            "purity": "purity",
            "coverage": "inverse_purity",
            "purity coverage F": "purity_f1",
            "homogeneity": "homogeneity",
            "completeness": "completeness",
        },
    ),
    "log_parsing": Field(
        title="Log parsing",
        objects="log messages",
        classes="true templates",
        clusters="found templates",
        names={
            "grouping accuracy (GA)": "grouping_accuracy",
            "F1 of grouping accuracy (FGA)": "cluster_f1",
            "pairwise F": "pair_f1",
            "Rand index": "rand",
        },
    ),
    "communities": Field(
        title="Community detection",
        objects="nodes",
        classes="true communities",
        clusters="found communities",
        names={
            "NMI": "v_measure",
            "AMI": "adjusted_mutual_information",
            "ARI": "adjusted_rand",
            "VI": "variation_of_information",
            "split-join distance": "van_dongen",
            "NF1": "normalized_f1",
            "Rand index": "rand",
            "ECS": "element_centric_similarity",
        },
    ),
}

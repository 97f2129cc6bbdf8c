"""Dendrograms and taxonomies as codes for the classes.

Law: the best cut is the best of all cuts of the tree, and every cut pays for being named.
"""

from __future__ import annotations

from clustervet.hierarchical.tree import Tree
from clustervet.trees.result import TreeCluster, TreeCut, TreeScores
from clustervet.trees.score import score_tree

__all__ = ["Tree", "TreeCluster", "TreeCut", "TreeScores", "score_tree"]

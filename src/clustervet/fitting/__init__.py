"""Clusterings to choose from: algorithms by name, and fits of them side by side.

Law: the one list of algorithms and the one place that fits them. What a fit finds depends on its
features, settings and seed alone, never on the number of jobs.
"""

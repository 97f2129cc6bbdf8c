"""Figures.

Law: finished numbers in, figures out; nothing here computes a measure.
"""

"""Ablation of features: the claims and how each claim is measured."""

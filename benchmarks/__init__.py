"""Measurements: ratios taken in one run, against a floor."""

"""Benchmarks: how fast dicewise is beside its peers, each as a ratio measured in one run.

`python -m benchmarks` runs them; the README beside this file says how to read them.
"""

"""Workloads: subscriptions and events as the papers generate them, and from data of your own.

from watchword.workloads import BeGen, be_gen

workload = be_gen(BeGen(subscriptions=100_000, dimensions=400, seed=7))
index = watchword.Index(training=workload.to_train)
index.subscribe_many(workload.subscriptions)
index.match_batch(workload.to_match)
"""

from watchword.workloads.be_gen import BeGen, be_gen
from watchword.workloads.derive import OperatorClass
from watchword.workloads.generator import Generator, Profile
from watchword.workloads.opindex import OpIndex, opindex
from watchword.workloads.registry import generator, workloads
from watchword.workloads.workload import EventsForm, Parameters, Workload, WorkloadError

__all__ = [
    "BeGen",
    "EventsForm",
    "Generator",
    "OpIndex",
    "OperatorClass",
    "Parameters",
    "Profile",
    "Workload",
    "WorkloadError",
    "be_gen",
    "generator",
    "opindex",
    "workloads",
]

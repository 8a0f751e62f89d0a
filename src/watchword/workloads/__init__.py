"""Workloads: subscriptions and events as the papers generate them, and from data of your own.

from watchword.workloads import BeGen, be_gen

workload = be_gen(BeGen(subscriptions=100_000, dimensions=400, seed=7))
index = watchword.Index(training=workload.to_train)
index.subscribe_many(workload.subscriptions)
index.match_batch(workload.to_match)
"""

from watchword.workloads.be_gen import BeGen, be_gen
from watchword.workloads.derive import OperatorClass
from watchword.workloads.from_events import FromEvents, data_source, from_events
from watchword.workloads.generator import Generator, Profile
from watchword.workloads.h_tree import HTree, h_tree
from watchword.workloads.keywords import Keywords, keywords
from watchword.workloads.luwak import Luwak, luwak
from watchword.workloads.normal_forms import NormalForms, normal_forms
from watchword.workloads.on_spark import on_spark
from watchword.workloads.opindex import OpIndex, opindex
from watchword.workloads.prefixes import Prefixes, prefixes
from watchword.workloads.products import Products, products
from watchword.workloads.q_grams import QGrams, q_grams
from watchword.workloads.registry import generator, workloads
from watchword.workloads.settings import with_settings
from watchword.workloads.syndication import Syndication, syndication
from watchword.workloads.workload import EventsForm, Parameters, Workload, WorkloadError

__all__ = [
    "BeGen",
    "EventsForm",
    "FromEvents",
    "Generator",
    "HTree",
    "Keywords",
    "Luwak",
    "NormalForms",
    "OpIndex",
    "OperatorClass",
    "Parameters",
    "Prefixes",
    "Products",
    "Profile",
    "QGrams",
    "Syndication",
    "Workload",
    "WorkloadError",
    "be_gen",
    "data_source",
    "from_events",
    "generator",
    "h_tree",
    "keywords",
    "luwak",
    "normal_forms",
    "on_spark",
    "opindex",
    "prefixes",
    "products",
    "q_grams",
    "syndication",
    "with_settings",
    "workloads",
]

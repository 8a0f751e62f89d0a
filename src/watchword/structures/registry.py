"""The structures by name, loaded when they are first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from watchword.errors import UnknownStructureError

if TYPE_CHECKING:
    from watchword.structures.structure import Parameters, Structure


class _Entry(NamedTuple):
    line: str
    home: str  # module:class
    fixed: Mapping[str, Any] = {}  # parameters that the name stands for


_STRUCTURES: Final = {
    "auto": _Entry(
        "access keys by cost, lists of records and blocks of bits (Watchword's own; docs/how-it-works.md)",
        "watchword.structures.auto.structure:Auto",
    ),
    "scan": _Entry(
        "direct evaluation of every expression: the oracle (all papers compare with it)",
        "watchword.structures.scan:Scan",
    ),
    "scan-columnar": _Entry(
        "a tight scan of all conditions in columns, 64 events at a time, without an index",
        "watchword.structures.columnar:Columnar",
    ),
    "sift": _Entry(
        "counting: a list per (attribute, value), ranges enumerated (BE-Tree section 7.2)",
        "watchword.structures.sift:Sift",
    ),
    "kindex": _Entry(
        "k-index: sorted lists by (size, attribute, value), ranges enumerated (BE-Tree section 2, OpIndex section 3)",
        "watchword.structures.kindex:KIndex",
    ),
    "gryphon": _Entry(
        "matching tree: a test per attribute, results and a star, ranges too (BE-Tree section 7.2)",
        "watchword.structures.gryphon.structure:Gryphon",
        {"equality_only": False},
    ),
    "gryphon-eq": _Entry(
        "matching tree of the equality predicates alone, the others are checked (BE-Tree section 7.2)",
        "watchword.structures.gryphon.structure:Gryphon",
        {"equality_only": True},
    ),
    "propagation": _Entry(
        "clusters by access predicate and size, checked in columns (BE-Tree sections 2 and 7.2)",
        "watchword.structures.propagation:Propagation",
    ),
    "betree": _Entry(
        "a tree cut by dimension and by interval, built by inserting one after another (BE-Tree, sections 4 to 6)",
        "watchword.structures.betree.structure:BETree",
        {"build": "dynamic"},
    ),
    "betree-batch": _Entry(
        "the same tree, its root cut with all subscriptions at hand (BE-Tree, section 7.2: BE-B)",
        "watchword.structures.betree.structure:BETree",
        {"build": "batch"},
    ),
    "opindex": _Entry(
        "lists by pivot attribute and operator, segments with signatures, counters (OpIndex, sections 4 to 6)",
        "watchword.structures.opindex.structure:OpIndex",
    ),
    "opindex-bs": _Entry(
        "OpIndex without segments and signatures (OpIndex, section 7)",
        "watchword.structures.opindex.structure:OpIndex",
        {"b": 1, "w": 1},
    ),
    "htree": _Entry(
        "hash lists over overlapping cells of popular attributes, chained to a tree of buckets (H-Tree III)",
        "watchword.structures.htree.structure:HTree",
    ),
    "simple": _Entry(
        "every conjunction is compared with the event, up to its first condition that fails (H-Tree V-A)",
        "watchword.structures.simple:Simple",
    ),
    "siena": _Entry(
        "counting over the constraints of each attribute, listed by operator (H-Tree V-A)",
        "watchword.structures.siena:Siena",
    ),
    "tama": _Entry(
        "counting over cells of several levels per attribute; approximate, so verified (H-Tree V-A)",
        "watchword.structures.tama:Tama",
    ),
    "cil": _Entry(
        "count-based inverted list: postings of every term, a counter per subscription (EDBT'12, section 2)",
        "watchword.structures.terms.cil:CIL",
    ),
    "ril": _Entry(
        "ranked-key inverted list: each subscription under its least frequent term (EDBT'12, section 2)",
        "watchword.structures.terms.ril:RIL",
    ),
    "rot": _Entry(
        "regular ordered trie: subscriptions share the nodes of their first terms (EDBT'12, section 2)",
        "watchword.structures.terms.ordered_trie:OrderedTrie",
        {"compaction": False},
    ),
    "pot": _Entry(
        "patricia ordered trie: paths without branches are one node (EDBT'12, section 2)",
        "watchword.structures.terms.ordered_trie:OrderedTrie",
        {"compaction": True},
    ),
    "luwak": _Entry(
        "queries by their rarest term, candidates evaluated in full, batch by batch (Luwak thesis, section 3.3)",
        "watchword.structures.luwak.luwak:Luwak",
    ),
    "luwak-qbatch": _Entry(
        "Luwak that evaluates equal queries once (Luwak thesis, section 5.3)",
        "watchword.structures.luwak.luwak:LuwakQbatch",
    ),
    "fullyindexed": _Entry(
        "Luwak with all terms of queries ANDed in a bit map of each batch (Luwak thesis, section 6.5)",
        "watchword.structures.luwak.presearch:FullyIndexed",
    ),
    "presearch": _Entry(
        "Luwak with a second filter: as many terms in the bit map as are worth while (Luwak thesis, section 5)",
        "watchword.structures.luwak.presearch:PreSearch",
    ),
}


def structures() -> dict[str, str]:
    """Name -> one line, with the paper's section where there is one."""
    return {name: entry.line for name, entry in _STRUCTURES.items()}


def structure_class(name: str) -> type[Structure]:
    if name not in _STRUCTURES:
        raise UnknownStructureError(f"no structure {name!r}: there are {', '.join(_STRUCTURES)}")
    module, _, attribute = _STRUCTURES[name].home.partition(":")
    found: type[Structure] = getattr(import_module(module), attribute)
    return found


def checked_parameters(name: str, parameters: Parameters) -> Parameters:
    """All parameters of the structure: those given, and the defaults of the others."""
    kind, fixed = structure_class(name), _STRUCTURES[name].fixed
    known = {key: value for key, value in kind.defaults.items() if key not in fixed}
    for key, value in parameters.items():
        if key in fixed and fixed[key] == value:
            continue
        if key not in known:
            there_are = f"it has {', '.join(known)}" if known else "it has none"
            raise UnknownStructureError(f"the structure {name!r} has no parameter {key!r}: {there_are}")
        if not _fits(value, known[key]):
            wanted = type(known[key]).__name__
            raise UnknownStructureError(f"the parameter {key!r} of {name!r} must be of type {wanted}, not {value!r}")
    return {**known, **fixed, **parameters}


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, float) and not isinstance(value, bool):
        return isinstance(value, (int, float))
    return type(value) is type(default)

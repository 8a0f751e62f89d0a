"""pyahocorasick and hyperscan find words in a text; which queries have all of theirs is left to their user.

    query --> its rarest word (by training documents) --> (query, its other words)

A document's words are found, and each one's queries are asked whether the document has their others too. Hyperscan can
combine patterns itself (HS_FLAG_COMBINATION), but was ten times as slow with 10,000 queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from watchword.bench.peers.driver import Way, way_name
from watchword.bench.peers.package_peer import Build
from watchword.bench.peers.translate import documents, training_frequencies, words_of_queries
from watchword.bench.workloads import Workload

Found = Callable[[str], set[int]]  # the numbers of a text's words
Finder = Callable[[Iterable[int]], Found]  # prepared for these words


def prepare_aho_corasick(workload: Workload) -> Build:
    return _prepare(workload, aho_corasick)


def prepare_hyperscan(workload: Workload) -> Build:
    return _prepare(workload, hyperscan)


def _prepare(workload: Workload, finder: Finder) -> Build:
    texts = [f" {text} " for text in documents(workload.events)]
    queries, frequencies = [words.tolist() for words in words_of_queries(workload)], training_frequencies()

    def build() -> list[Way]:
        posted: dict[int, list[tuple[int, set[int]]]] = {}
        for number, words in enumerate(queries):
            rarest = min(words, key=lambda word: frequencies.get(word, 0))
            posted.setdefault(rarest, []).append((number, set(words)))
        find = finder({word for words in queries for word in words})

        def match(first: int, end: int) -> list[int]:
            found = find(texts[first])
            return [len([query for word in found for query, words in posted.get(word, ()) if words <= found])]

        return [Way(way_name(1), 1, match)]

    return build


def aho_corasick(words: Iterable[int]) -> Found:
    import ahocorasick

    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for word in words:
        automaton.add_word(f" w{word} ", word)
    automaton.make_automaton()
    return lambda text: {word for _, word in automaton.iter(text)}


def hyperscan(words: Iterable[int]) -> Found:
    from hyperscan import HS_FLAG_SINGLEMATCH, HS_MODE_BLOCK, Database, Scratch

    ids = list(words)
    database = Database(mode=HS_MODE_BLOCK)
    database.compile(
        [f" w{word} ".encode() for word in ids], ids=ids, flags=[HS_FLAG_SINGLEMATCH] * len(ids), literal=True
    )
    database.scratch = Scratch(database)

    def find(text: str) -> set[int]:
        found: set[int] = set()
        database.scan(text.encode(), lambda word, begin, end, flags, context: found.add(word))
        return found

    return find

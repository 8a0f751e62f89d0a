"""A peer in Java: a program of ours, fed with lines of text in a folder, that answers with lines of JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from watchword.bench.peers.driver import way_name
from watchword.bench.peers.maven import Jars, fetch
from watchword.bench.peers.peer import Pace, PeerError, Raw
from watchword.bench.workloads import Workload

HEAP: Final = "8g"

Files = Mapping[str, Iterable[object]]


@dataclass(frozen=True, slots=True)
class JavaPeer:
    name: str
    workloads: Sequence[str]
    settings: str
    profile: str  # of pom.xml
    program: str
    versions: tuple[str, ...]  # the newest first
    files: Callable[[Workload], Files]  # lines per file: `subscriptions`, `events` and what else the program reads
    arguments: Callable[[Workload], Sequence[object]]
    batches: Sequence[int] = (1,)

    def ready(self) -> str:
        return self._jars().version

    def measure(self, workload: Workload, pace: Pace) -> Iterator[Raw]:
        with TemporaryDirectory() as name:
            folder = Path(name)
            for file, lines in self.files(workload).items():
                with (folder / file).open("w", encoding="utf-8") as written:
                    written.writelines(f"{line}\n" for line in lines)
            batches = ",".join(str(min(batch, len(workload.events))) for batch in self.batches)
            arguments = [folder, pace.warm, pace.measured, pace.passes, batches, *self.arguments(workload)]
            yield from self._run(folder / "errors", list(map(str, arguments)))

    def _run(self, errors: Path, arguments: list[str]) -> Iterator[Raw]:
        java = ["java", f"-Xmx{HEAP}", "-cp", self._jars().classpath, "Driver", self.program]
        with errors.open("wb") as log:
            process = subprocess.Popen([*java, *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                raw = json.loads(line)
                yield {"way": way_name(raw["batch"]), **raw}
        if process.wait():
            said = [line for line in errors.read_text("utf-8").splitlines() if "Error" in line or "Exception" in line]
            raise PeerError(said[0] if said else f"the program ended with code {process.returncode}")

    def _jars(self) -> Jars:
        return fetch(self.profile, self.program, self.versions)

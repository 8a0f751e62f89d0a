"""The jars of a peer in Java, fetched through Maven, and our program for it, compiled: kept in a cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from watchword.bench.peers.peer import PeerError

SOURCES: Final = Path(__file__).parent / "java"  # Maven's pom.xml lies there too; all of it is part of the package
FETCH_SECONDS: Final = 600
NEEDED: Final = {"java": "Java 17", "javac": "the JDK 17", "mvn": "Maven"}


@dataclass(frozen=True, slots=True)
class Jars:
    version: str
    classpath: str


def fetch(profile: str, program: str, versions: tuple[str, ...]) -> Jars:
    """The first of the versions that can be had. What was fetched once is not asked for again."""
    for tool, name in NEEDED.items():
        if shutil.which(tool) is None:
            raise PeerError(f"there is no `{tool}` on the path: install {name}")
    for version in versions:
        folder = _cache() / f"{profile}-{version}"
        if _has_jars(folder, profile, version):
            return Jars(version, os.pathsep.join([str(_compiled(program, folder)), str(folder / "*")]))
    raise PeerError(
        f"Maven could not fetch {profile} {' or '.join(versions)}: is Maven Central (or the mirror in Maven's settings)"
        f" reachable, and does it have it? What Maven said is in {folder / 'maven.log'}"
    )


def _has_jars(folder: Path, profile: str, version: str) -> bool:
    fetched = folder / "fetched"
    if not fetched.exists():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["-B", "-f", str(SOURCES / "pom.xml"), "-P", profile, f"-Dpeer.version={version}"]
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
        with (folder / "maven.log").open("wb") as log:
            try:
                done = subprocess.run(["mvn", *options, *goal], stdout=log, stderr=log, timeout=FETCH_SECONDS)
            except subprocess.TimeoutExpired:
                return False
        if done.returncode:
            return False
        fetched.touch()
    return True


def _compiled(program: str, jars: Path) -> Path:
    sources = [SOURCES / f"{name}.java" for name in ("Peer", "Driver", program)]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    classes = jars / f"classes-{digest}"
    if not (classes / f"{program}.class").exists():
        command = ["javac", "-nowarn", "-cp", str(jars / "*"), "-d", str(classes), *map(str, sources)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise PeerError(f"javac refuses {program}.java, please report it: {done.stderr.strip().splitlines()[0]}")
    return classes


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "watchword" / "peers"

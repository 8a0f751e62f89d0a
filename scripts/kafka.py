"""Kafka for tests and for trying out: jars from Maven into build/kafka, a broker on loopback until Ctrl-C.

connector_jars()    what Spark needs to read and write topics
broker()            one process in KRaft mode, its storage in a temporary folder, ended by its own id
"""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pyspark

from watchword.errors import MissingDependencyError
from watchword.spark.session import require_java

POM: Final = Path(__file__).with_suffix(".xml")
JARS: Final = POM.parents[1] / "build" / "kafka"
PATIENCE: Final = 60.0  # seconds for a broker to start
# Where Maven has not yet got the connector of a PySpark as young as this one. It works with PySpark 4.3 too.
EARLIER: Final = {"connector": "4.2.0", "tokens": "4.0.0"}
_PROPERTIES: Final = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={folder}/log
num.partitions=2
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


def connector_jars() -> Path:
    """A folder with the connector for the PySpark that is installed."""
    same = {"connector": pyspark.__version__, "tokens": pyspark.__version__}
    folder = JARS / f"connector-{pyspark.__version__}"
    try:
        return _fetched("connector", folder, same)
    except MissingDependencyError:
        return _fetched("connector", folder, EARLIER)


def _fetched(profile: str, folder: Path, versions: Mapping[str, str]) -> Path:
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingDependencyError("there is no Maven, which fetches Kafka: install it (Debian and Ubuntu: maven)")
    JARS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=JARS) as scratch:  # so that an interrupted download is not taken for a whole one
        command = [maven, "--batch-mode", "--quiet", f"--file={POM}", f"--activate-profiles={profile}"]
        settings = [f"-D{name}={value}" for name, value in {**versions, "outputDirectory": f"{scratch}/jars"}.items()]
        found = subprocess.run(
            [*command, "dependency:copy-dependencies", *settings], capture_output=True, text=True, check=False
        )
        if found.returncode != 0:
            reason = next((line for line in found.stdout.splitlines() if "ERROR" in line), "no reason given")
            raise MissingDependencyError(f"Maven did not fetch the {profile} of Kafka: {reason}")
        Path(scratch, "jars").rename(folder)
    return folder


@contextmanager
def broker() -> Iterator[str]:
    """A broker that makes topics of two partitions when they are first named; its host:port."""
    require_java()
    jars = _fetched("broker", JARS / "broker", {})
    with TemporaryDirectory(prefix="watchword-kafka-") as folder:
        port, controller = _free_ports(2)
        properties = Path(folder, "server.properties")
        properties.write_text(_PROPERTIES.format(port=port, controller=controller, folder=folder))
        name = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
        java = ["java", "-Xmx512m", quiet, "-cp", f"{jars}/*"]
        format_storage = [*java, "kafka.tools.StorageTool", "format", f"--cluster-id={name}", f"--config={properties}"]
        subprocess.run(format_storage, check=True, capture_output=True)
        with open(Path(folder, "out"), "wb") as out:
            started = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=out, stderr=out)
        try:
            _wait_for(port, started, Path(folder, "out"))
            yield f"127.0.0.1:{port}"
        finally:
            started.kill()  # its storage goes with it
            started.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _wait_for(port: int, started: subprocess.Popen[bytes], out: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while started.poll() is None and time.monotonic() < deadline:
        with closing(socket.socket()) as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise MissingDependencyError(f"the broker did not start: {out.read_text()}")


def main() -> None:
    print(f"connector: {connector_jars()}", flush=True)
    with broker() as servers:
        print(f"broker: kafka://{servers}; Ctrl-C ends it", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()

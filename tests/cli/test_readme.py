"""The Python of the README runs, and gives what its comments say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    table = "import pyarrow as pa\ntable = pa.table({'id': ['t'], 'expression': ['price > 1000']})\n"
    checked = re.sub(r"^( *)(\S.*\S) +# -> (\[.*\])$", r"\1assert \2 == \3", example, flags=re.MULTILINE)
    assert checked.count("assert") == 2
    environment = dict(os.environ, PYTHONWARNINGS="error")
    code = table + checked
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr

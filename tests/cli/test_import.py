"""What `import watchword` offers, and that it is quick: heavy modules are loaded on first use."""

from __future__ import annotations

import subprocess
import sys

import watchword


def test_every_public_name_is_there() -> None:
    for name in watchword.__all__:
        assert getattr(watchword, name) is not None
    assert set(watchword.__all__) <= set(dir(watchword))


def test_the_import_itself_loads_nothing_heavy() -> None:
    code = "import sys, watchword; print(sorted({'numba', 'numpy', 'pyarrow', 'sqlglot'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

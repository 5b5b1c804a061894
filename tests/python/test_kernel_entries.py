"""src/kernels/arguments.md says which entry points each language has: what it says is what is in the files."""

import re

from conftest import ROOT

KERNELS = ROOT / "src/kernels"
ENTRIES = {
    "entry.cl": r"^__kernel void (\w+)\(",
    "entry.cu": r"^(?:extern \"C\" __global__ void |EVALUATE\(|MINIMISE\()(\w+)[(,]",
    "entry.metal": r"^kernel void (\w+)\(",
}


def test_the_table_of_entry_points_is_true():
    assert sorted(path.name for path in KERNELS.glob("entry.*")) == sorted(ENTRIES)
    text = (KERNELS / "arguments.md").read_text()
    for name, pattern in ENTRIES.items():
        row = re.search(rf"^\| `{re.escape(name)}` \| (.*) \|$", text, re.MULTILINE)
        said = set(re.findall(r"`(\w+)`", row[1]))
        found = set(re.findall(pattern, (KERNELS / name).read_text(), re.MULTILINE))
        assert said == {re.sub(r"_\d$", "_N", entry) for entry in found}
    assert "three entry points" not in text

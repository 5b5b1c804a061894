"""Real workspaces that pyhf and nextstat.pyhf are both asked about, and how each is put together.

    spec = CASES["sbottom-1400"].read(folder)       # a workspace document, patches applied
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Case:
    """A workspace file, and a patch from a file or from a patch set."""

    file: str
    parameters: int
    patch_file: str | None = None
    patchset: tuple[str, str] | None = None  # file, name of the patch
    bracket: tuple[float, float] | None = None  # where to search limits; None: the bounds of the POI, as pyhf does

    def read(self, folder: pathlib.Path, apply: Callable[[list[Document], Document], Document]) -> Document:
        """The workspace; `apply(patch, document)` applies a JSON patch."""
        document: Document = json.loads((folder / self.file).read_text())
        if self.patch_file is not None:
            return apply(json.loads((folder / self.patch_file).read_text()), document)
        if self.patchset is not None:
            patches = json.loads((folder / self.patchset[0]).read_text())["patches"]
            (patch,) = [entry["patch"] for entry in patches if entry["metadata"]["name"] == self.patchset[1]]
            return apply(patch, document)
        return document


# Up to 130 parameters: pyhf's limits are compared as well.
WITH_LIMITS = {
    "2bin": Case("pyhf-2bin-1channel.json", 3),
    "dvmuon": Case("dvmuon-srmet.json", 6, bracket=(0.002, 0.1)),
    "displaced-leptons": Case("displaced-leptons.json", 16),
    "stanhf": Case("stanhf-allmods.json", 22),
    "agc": Case("agc.json", 34, bracket=(0.001, 2.0)),
    "negbins": Case("negbins-dummy.json", 57),
    "sbottom-1300": Case("sbottom-A.bkg.json", 64, patch_file="sbottom-A-1300_205_60.patch.json"),
    "sbottom-1400": Case("sbottom-A.bkg.json", 64, patch_file="sbottom-A-1400_950_60.patch.json", bracket=(0.1, 4.0)),
    "3lrj": Case("3lrj-500-0.json", 69),
    "stau": Case("stau-comb-400-40.json", 120),
    "1lbb-700-400": Case("1lbb.bkg.json", 126, patchset=("1lbb.patchset.json", "C1N2_Wh_hbb_700_400")),
    "1lbb-900-300": Case("1lbb.bkg.json", 126, patchset=("1lbb.patchset.json", "C1N2_Wh_hbb_900_300")),
}
# Larger ones: CLs and fits only.
WITHOUT_LIMITS = {
    "thu": Case("thu.json", 184),
    "agc-ml": Case("agc-ml.json", 187),
    "cms-ttg-2l": Case("cms-ttg-2l.json", 191),
    "tttt": Case("tttt.json", 249),
}
CASES = WITH_LIMITS | WITHOUT_LIMITS

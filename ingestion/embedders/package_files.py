"""Where packages with weights have their files; found without importing them, which could import torch."""

import importlib.util
from pathlib import Path


def find_package_folder(package: str, model_id: str) -> Path:
    """Raises: FileNotFoundError where the package with the weights of a model is not installed."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f"The package {package} with the weights of {model_id} is not installed: make setup")
    return Path(found.submodule_search_locations[0])


def is_package_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None

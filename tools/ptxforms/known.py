"""What has been recorded on a GPU already."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "vectors" / "ptx"


def recorded_names() -> frozenset[str]:
    """Names of the forms in `forms.npz` (`tools.sassvectors.record_ptx`)."""
    with np.load(FOLDER / "forms.npz") as file:
        return frozenset(form[0] for form in json.loads(bytes(file["meta"]))["forms"])

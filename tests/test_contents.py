"""What an installation says about the code of others that it contains."""

import json
import re
from importlib.metadata import distribution
from pathlib import Path

import nanobind

FILES = {str(file).partition(".dist-info/")[2]: file for file in distribution("sightline").files or ()}
COMPILED_IN = {"nanobind": "BSD-3-Clause", "robin-map": "MIT"}


def installed(name: str) -> str:
    return FILES[name].locate().read_text(encoding="utf-8")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_the_list_of_contents_names_every_library_with_its_license():
    listed = json.loads(installed("sboms/sightline.cdx.json"))
    assert listed["bomFormat"] == "CycloneDX"
    assert listed["metadata"]["component"]["version"] == distribution("sightline").version
    licenses = {part["name"]: part["licenses"][0]["license"]["id"] for part in listed["components"]}
    assert licenses == COMPILED_IN
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", listed["components"][0]["version"])
    assert "@" not in json.dumps(listed).replace("pypi/sightline@", "").replace("pypi/nanobind@", "")


def test_licenses_are_installed_in_full():
    texts = {name: installed(f"licenses/LICENSES/{name}.txt") for name in COMPILED_IN}
    assert "BSD 3-Clause" in installed("licenses/LICENSE")
    (of_nanobind,) = (file for file in distribution("nanobind").files or () if file.name == "LICENSE")
    assert texts["nanobind"] == of_nanobind.locate().read_text(encoding="utf-8")
    source = Path(nanobind.__file__).parent / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h"
    assert words(texts["robin-map"]) == words(source.read_text(encoding="utf-8").partition("*/")[0])

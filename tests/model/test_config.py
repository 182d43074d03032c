"""Settings: read strictly, travelled faithfully, documented completely."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from cass_shim.model.config import (
    FIELDS,
    BadSetting,
    Config,
    Scope,
    configuration_page,
    daemon_name,
    epoch_name,
    variable,
)

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
BY_SCOPE = {scope: [name for name, one in FIELDS.items() if one.metadata["scope"] is scope] for scope in Scope}


def other_value(name: str) -> str:
    """A valid value that is not the default."""
    one = FIELDS[name]
    choices = [choice for choice in one.metadata["choices"] if choice != one.default]
    return choices[0] if choices else "7" if str(one.default).isdigit() else "/other"


def test_unset_and_empty_are_the_default() -> None:
    assert Config.read({}) == Config.read({variable(name): "" for name in FIELDS}) == Config()


@pytest.mark.parametrize("name", FIELDS)
def test_every_setting_is_read(name: str) -> None:
    assert getattr(Config.read({variable(name): other_value(name)}), name) == other_value(name)


@pytest.mark.parametrize(
    ("name", "value"), [("CASS_DEVICE", "cuda"), ("CASS_TIMEOUT", "soon"), ("CASS_IDLE", "-1"), ("CASS_WORKERS", "nan")]
)
def test_a_wrong_value_names_the_variable(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=f"{name}='{value}'"):
        Config.read({name: value})


@pytest.mark.parametrize("name", FIELDS)
def test_a_request_carries_its_own_policy_and_nothing_else(name: str) -> None:
    config = dataclasses.replace(Config(), **{name: other_value(name)})
    travelled = Config().with_options(config.options())
    assert (getattr(travelled, name) == other_value(name)) == (name in BY_SCOPE[Scope.REQUEST])


def test_options_of_other_scopes_are_ignored() -> None:
    assert Config().with_options("CASS_CACHE_DIR=/evil\nCASS_NOTHING=1\nnonsense\n") == Config()


@pytest.mark.parametrize("name", FIELDS)
def test_the_daemon_s_name_depends_on_its_own_settings_only(name: str) -> None:
    changed = dataclasses.replace(Config(), **{name: other_value(name)})
    differs = daemon_name(changed, "/package", "/cache") != daemon_name(Config(), "/package", "/cache")
    assert differs == (name in BY_SCOPE[Scope.DAEMON])


def test_each_local_cache_has_a_daemon_of_its_own() -> None:
    assert len({daemon_name(Config(), "/package", cache) for cache in ("", "/a", "/b")}) == 3


def test_the_epoch_depends_on_base_and_policy() -> None:
    config = Config()
    names = {
        epoch_name("", config),
        epoch_name("a", config),
        epoch_name("", dataclasses.replace(config, translators="lift")),
        epoch_name("", dataclasses.replace(config, min_evidence="E1")),
        epoch_name("", dataclasses.replace(config, gfx="gfx1101")),
    }
    assert len(names) == 5


def test_the_page_is_up_to_date() -> None:
    assert DOCUMENT.read_text() == configuration_page(), "python -m cass_shim.model.config > docs/configuration.md"

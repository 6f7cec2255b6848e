"""The JAX releases that each file is judged for: as set, else as its project says, else the newest one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from omnilint.config import Settings
from omnilint.config.settings import COMMAND_LINE
from omnilint.errors import ConfigError
from omnilint.model import Report, TargetUsed

if TYPE_CHECKING:
    from omnilint.api.target import Target
    from omnilint.index.project import Project

MOST_ORIGINS = 3


@dataclass(frozen=True, slots=True)
class Targets:
    """The target of each file: that of its folder, where a project says something there, else `default`.

    `notes`: what projects say of JAX that was passed over, in words.
    """

    default: Target
    by_folder: Mapping[str, Target] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of(self, file: str | None) -> Target:
        """The target of a file by its absolute path; None for what comes from standard input."""
        return self.by_folder.get(os.path.dirname(file), self.default) if file else self.default

    @property
    def span(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The oldest and the newest release of all targets, as numbers."""
        from omnilint.api.history import version_key

        each = [version_key(v) for t in (self.default, *self.by_folder.values()) for v in t.versions]
        return min(each), max(each)


def choose(settings: Settings, report: Report) -> Targets | None:
    """The targets of a run's files; None when nothing imports JAX, which saves reading JAX's history.

    Raises ConfigError for versions that mean nothing, with where they were written.
    """
    if not settings.target_jax and not settings.from_jax and not report.summary.jax_files:
        return None
    from omnilint.api.target import Target, TargetError

    files = [s.file for s in report.sources.values() if s.file]
    first = files[0] if files else None
    try:
        if settings.target_jax:
            return _from(Targets(_as_set(settings, first)), settings.from_jax, _where(settings))
    except TargetError as error:
        raise ConfigError(f"{_where(settings)}: {error}") from None
    by_folder, notes = _declared(files)
    default = _named(settings, first) or Target.newest()
    return _from(Targets(default, by_folder, notes), settings.from_jax)


def _where(settings: Settings) -> str:
    origin = settings.origins.get("target_jax", "")
    return f"{os.path.relpath(origin)}: target-jax" if os.path.isabs(origin) else "--target-jax"


def _as_set(settings: Settings, first: str | None) -> Target:
    from omnilint.api.installed import INSTALLED
    from omnilint.api.target import Target

    if settings.target_jax == INSTALLED:
        return _installed(settings, first)
    origin = settings.origins.get("target_jax", "")
    return Target.parse(settings.target_jax or "", os.path.relpath(origin) if os.path.isabs(origin) else "")


def _from(targets: Targets, start: str | None, where: str = "") -> Targets:
    """The same targets, which were set at `where` if not by projects, for an upgrade from a release.

    Raises ConfigError where that comes after a target: nothing changes on such a way, and silence would be praise.
    """
    if start is None:
        return targets
    from omnilint.api.target import TargetError, release

    try:
        start = release(start)
    except TargetError as error:
        raise ConfigError(f"--from: {error}") from None
    late = next((t for t in targets.by_folder.values() or (targets.default,) if t.ends_before(start)), None)
    if late is not None:
        origin = os.path.relpath(os.path.join(late.folder, late.origin)) if late.folder else where or late.origin
        raise ConfigError(
            f"--from: JAX {start} comes after {late} ({origin}), the target of the upgrade; "
            "name the older release with --from, the newer with --target-jax"
        )
    by_folder = {folder: replace(t, start=start) for folder, t in targets.by_folder.items()}
    return Targets(replace(targets.default, start=start), by_folder, targets.notes)


def _declared(files: Iterable[str]) -> tuple[dict[str, Target], tuple[str, ...]]:
    """What projects say, by the folders of the files, and what of it was passed over."""
    from omnilint.api.project import said_of

    folders = {os.path.dirname(f) for f in files}
    found = said_of(Path(f) for f in sorted(folders))
    notes = dict.fromkeys(note for said in found.values() for note in said.notes)
    return {str(folder): said.target for folder, said in found.items() if said.target is not None}, tuple(notes)


def _installed(settings: Settings, first: str | None) -> Target:
    """The JAX that the interpreters named by --python have, or else the active or a nearby environment."""
    from omnilint.api.installed import installed_target
    from omnilint.confirm import interpreter

    chosen = interpreter.choose(settings.python, [os.path.dirname(first) if first else "."])
    return installed_target((i.executable, i.chosen) for i in chosen)


def _named(settings: Settings, first: str | None) -> Target | None:
    """The JAX of the interpreters that the user named, for projects that don't say what they run on."""
    from omnilint.api.target import TargetError

    try:
        return _installed(settings, first) if settings.python else None
    except TargetError:
        return None
    except ConfigError:
        if settings.origins.get("python") == COMMAND_LINE:
            raise
        return None  # a settings file is read where there is no such environment, too: in CI, in a hook


def used(targets: Targets, report: Report, project: Project) -> list[TargetUsed]:
    """What the files that use JAX were judged for, the target of the most files first."""
    told = _used(targets, report, project)
    notes = [*targets.notes[:MOST_ORIGINS], *(["and more"] if len(targets.notes) > MOST_ORIGINS else [])]
    return [replace(told[0], notes="; ".join(notes)), *told[1:]]


def _used(targets: Targets, report: Report, project: Project) -> list[TargetUsed]:
    if not targets.by_folder:
        return [_told([targets.default], report.summary.jax_files, apart=False)]
    from omnilint.analysis.roots import jax_modules

    counts = Counter(targets.of(m.source.file) for m in jax_modules(project)) or Counter([targets.default])
    alike: dict[str, list[Target]] = {}
    for target in sorted(counts, key=lambda t: (-counts[t], not t.folder, t.folder, t.origin)):
        alike.setdefault(str(target), []).append(target)
    return [_told(some, sum(counts[t] for t in some), apart=len(counts) > 1) for some in alike.values()]


def _told(alike: list[Target], files: int, apart: bool) -> TargetUsed:
    """One entry for targets that differ in nothing but where they were read; `apart`: with the folder of each."""
    origins = [os.path.relpath(os.path.join(t.folder, t.origin)) if apart and t.folder else t.origin for t in alike]
    more = f" and {len(origins) - MOST_ORIGINS} more" if len(origins) > MOST_ORIGINS else ""
    return TargetUsed(
        str(alike[0]), ", ".join(origins[:MOST_ORIGINS]) + more, alike[0].start, alike[0].judged_as, files
    )

"""Findings that are known already: kept by file, code, symbol and statement, so that moved lines don't matter."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from omnilint.errors import ConfigError
from omnilint.model import Finding, Source

VERSION = 1
DEFAULT_FILE = "omnilint-baseline.json"

# Path below the baseline's folder, code, symbol, hash of the normalised statement.
Entry = tuple[str, str, str, str]


@dataclass(slots=True)
class Baseline:
    """The known findings and how often each stands in its file."""

    file: str
    known: Counter[Entry] = field(default_factory=Counter)

    def split(self, findings: Iterable[Finding], sources: Mapping[str, Source]) -> tuple[list[Finding], list[Finding]]:
        """(new, known) findings; what is found no longer in a file that was checked, or is gone, stays in `gone`."""
        left = Counter(self.known)
        new, known = [], []
        for finding in findings:
            entries = self._entries(finding, sources)
            # One that speaks for a place which is not in the baseline is new: somebody added that place.
            if entries and not entries - left:
                left -= entries
                known.append(finding)
            else:
                new.append(finding)
        return new, known

    def gone(
        self, findings: Iterable[Finding], sources: Mapping[str, Source], judges: Callable[[str, str], bool]
    ) -> Counter[Entry]:
        """Entries that nothing was found for, in files that were checked in this run or exist no more.

        `judges` says whether this run looks for a code in a file: what nobody looked for isn't gone.
        """
        folder = os.path.dirname(os.path.abspath(self.file))
        checked = {source.file for source in sources.values()}
        found = Counter(entry for f in findings for entry in self._entries(f, sources).elements())
        left = self.known - found
        return Counter({e: n for e, n in left.items() if _is_over(os.path.join(folder, e[0]), e[1], checked, judges)})

    def renew(
        self,
        findings: Sequence[Finding],
        sources: Mapping[str, Source],
        checked: Mapping[str, Source],
        judges: Callable[[str, str], bool],
    ) -> tuple[int, int]:
        """Make `findings` the known ones and write the file; gives their number, and how many entries stay as they are.

        These are what this run couldn't find anew: of files other than the `checked` ones, and of codes that it
        doesn't judge. Raises ConfigError.
        """
        entries = [entries for f in findings if (entries := self._entries(f, sources))]
        found = sum(entries, Counter())
        stay = self.known - self.gone([], checked, judges) - found
        self.known = found + stay
        self.save()
        return len(entries), stay.total()

    def save(self) -> None:
        """Write the file, one entry a line and sorted, so that versions can be compared and merged.

        One that is there is replaced in one step: nobody finds half of it, and a run that is interrupted loses nothing.
        """
        lines = [
            json.dumps(
                {"path": path, "code": code, "symbol": symbol, "statement": digest, "count": n}, ensure_ascii=False
            )
            for (path, code, symbol, digest), n in sorted(self.known.items())
        ]
        body = "".join(f"\n  {line}" + ("," if i < len(lines) else "\n ") for i, line in enumerate(lines, 1))
        text = f'{{\n "version": {VERSION},\n "findings": [{body}]\n}}\n'
        raw = text.encode("utf-8", "backslashreplace")  # of a name that is no text, the escapes are JSON's too
        try:
            if os.path.isfile(self.file):
                from omnilint.fixes.rewrite import write

                write(self.file, raw)
            else:
                with open(self.file, "wb") as f:
                    f.write(raw)
        except OSError as error:
            raise ConfigError(f"{self.file}: the baseline can't be written ({error.strerror})") from None

    def _entries(self, finding: Finding, sources: Mapping[str, Source]) -> Counter[Entry]:
        """What stands for a finding: its own place, and each other place with the same cause. Nothing for stdin."""
        own = (finding.place.path, finding.symbol, finding.statement)
        places = (own, *finding.data.get("also", ()))
        named = (self._entry(finding.code, path, symbol, text, sources) for path, symbol, text in places)
        return Counter(entry for entry in named if entry is not None)

    def _entry(self, code: str, shown: str, symbol: str, statement: str, sources: Mapping[str, Source]) -> Entry | None:
        file = sources[shown].file if shown in sources else None
        if file is None:
            return None
        path = os.path.relpath(file, os.path.dirname(os.path.abspath(self.file))).replace(os.sep, "/")
        text = re.sub(r"\s+", " ", statement).strip()
        return path, code, symbol, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read(file: str) -> Baseline:
    """The baseline in a file; raises ConfigError when there is none, or something else in it."""
    try:
        with open(file, encoding="utf-8") as f:
            document: Any = json.load(f)
        if document["version"] != VERSION:
            raise ConfigError(f"{file}: a baseline of version {document['version']}; remove it, and write it anew")
        entries = Counter({_parse(entry): int(entry["count"]) for entry in document["findings"]})
    except FileNotFoundError:
        raise ConfigError(f"{file}: there is no baseline yet; make it with --write-baseline") from None
    except OSError as error:
        raise ConfigError(f"{file}: the baseline can't be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"{file}: not a baseline; remove it, and make one with --write-baseline") from None
    return Baseline(file, entries)


def _parse(entry: Mapping[str, Any]) -> Entry:
    path, code, symbol, digest = (entry[key] for key in ("path", "code", "symbol", "statement"))
    if not all(isinstance(text, str) for text in (path, code, symbol, digest)):
        raise TypeError
    return path, code, symbol, digest


def _is_over(file: str, code: str, checked: set[str | None], judges: Callable[[str, str], bool]) -> bool:
    file = os.path.normpath(file)
    return not os.path.exists(file) or (file in checked and judges(code, file))

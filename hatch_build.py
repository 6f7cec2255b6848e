"""Compiles the modules that work the most by mypyc, where `OMNILINT_COMPILE=1` asks for it; else does nothing."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "OMNILINT_COMPILE"
# mypyc's own name for it: from 0, for a quick build, to 3.
LEVEL = "MYPYC_OPT_LEVEL"
NO_COMPILER = (
    f"{VARIABLE}=1 needs a C compiler and Python's headers, and compiling doesn't work here ({{}}).\n"
    f"Install them (Debian: gcc, python3-dev), or unset {VARIABLE}: omnilint then is plain Python, and finds the same."
)


class CompiledModules(BuildHookInterface[Any]):
    """Adds compiled modules to a wheel, beside their sources; which ones is said in pyproject.toml."""

    @property
    def asked(self) -> bool:
        return os.environ.get(VARIABLE, "") not in ("", "0")

    def dependencies(self) -> list[str]:
        return list(self.config["requires"]) if self.asked else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self.asked or version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory(prefix="omnilint-")
        self._try_compiler()
        built = Path(self.folder.name, "lib")
        self._build(self._c_of(self._files("modules") - self._files("but")), built)
        for file in built.rglob("*.*"):
            build_data["force_include"][str(file)] = file.relative_to(built).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def _files(self, key: str) -> set[str]:
        root = Path(self.root)
        return {file.relative_to(root).as_posix() for glob in self.config[key] for file in root.glob(glob)}

    def _try_compiler(self) -> None:
        from setuptools import Extension

        probe = Path(self.folder.name, "probe.c")
        probe.write_text("#include <Python.h>\nvoid PyInit_probe(void) {}\n")
        try:
            self._build([Extension("probe", [str(probe)])], probe.parent)
        except Exception as error:  # compilers fail in ways of their own
            self.app.abort(NO_COMPILER.format(error))

    def _c_of(self, files: set[str]) -> list[Any]:
        from mypyc.build import mypycify

        arguments = ["--follow-imports=silent", f"--cache-dir={os.devnull}", *sorted(files)]
        level = os.environ.get(LEVEL) or "2"
        # A file for each module: compilers take far longer for one that holds them all. Debugging symbols are ten
        # times as large as the program.
        folder = str(Path(self.folder.name, "c"))
        return mypycify(arguments, opt_level=level, debug_level="0", multi_file=True, target_dir=folder)

    def _build(self, extensions: list[Any], to: Path) -> None:
        from setuptools import Distribution
        from setuptools.command.build_ext import build_ext

        class Together(build_ext):
            """Compiles as many files at a time as there are processors."""

            def build_extensions(self) -> None:
                one = self.compiler.compile

                def every(sources: list[str], **options: Any) -> list[str]:
                    with ThreadPoolExecutor(os.cpu_count()) as pool:
                        return [made for some in pool.map(lambda s: one([s], **options), sources) for made in some]

                self.compiler.compile = every
                super().build_extensions()

        command = Together(Distribution({"ext_modules": extensions}))
        command.build_lib, command.build_temp = str(to), str(Path(self.folder.name, "o"))
        command.ensure_finalized()
        command.run()

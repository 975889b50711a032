#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every code block of one document, warnings as errors, and runs those with a main().

usage: test_code.py --cc CC --flags FLAGS --include DIR --library FILE [--keep DIR] DOCUMENT
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
import blocks  # noqa: E402

WARNINGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]

# A fragment may name a thing without using it.
FRAGMENT = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-function",
            "-Wno-unused-parameter"]

HEADERS = ["setjmp.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
           "tidepool/tidepool.h"]


def source_of(block: blocks.Block) -> str:
    file, line = block.where.rsplit(":", 1)
    located = f'#line {line} "{file}"\n{block.code}'
    if block.is_program:
        return located
    headers = "".join(f"#include <{name}>\n" for name in HEADERS)
    if block.file_scope:
        return headers + located
    # Statements, in a function that may return a status or -1, or just end.
    parameters = block.given or "void"
    return (f"{headers}int fragment({parameters});\nint fragment({parameters})\n{{\n{located}"
            f"return 0;\n}}\n")


def matches(printed: str, expected: str) -> bool:
    return re.fullmatch(".*?".join(map(re.escape, expected.split("…"))), printed) is not None


def check(block: blocks.Block, arguments: argparse.Namespace, directory: str) -> str | None:
    """What is wrong with the block, or None."""
    if not block.is_program and block.given is None and not block.file_scope:
        return "neither a program nor a fragment that says what it stands in"
    stem = os.path.join(directory, "block" + block.where.rsplit(":", 1)[1])
    with open(stem + ".c", "w", encoding="utf-8") as file:
        file.write(source_of(block))
    command = [arguments.cc, *WARNINGS, *shlex.split(arguments.flags), "-I", arguments.include,
               stem + ".c", "-o", stem]
    if block.is_program:
        folder = os.path.dirname(arguments.library)
        command += [arguments.library, "-Wl,-rpath," + folder, "-pthread"]
    else:
        command[1:1] = ["-c"]
        command[-1:] = [stem + ".o", *FRAGMENT]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        return "does not compile:\n" + compiled.stderr
    if not block.is_program:
        return None
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("TIDEPOOL_")}
    ran = subprocess.run([stem], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=120, check=False, env=environment)
    wanted = -signal.SIGABRT if block.aborts else 0
    if ran.returncode != wanted:
        return f"ended with {ran.returncode}, not {wanted}; it printed:\n{ran.stdout}"
    if block.output is not None and not matches(ran.stdout, block.output):
        return f"printed\n{ran.stdout}where the document says\n{block.output}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--flags", default="")
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--keep", help="leave the sources here")
    parser.add_argument("document")
    arguments = parser.parse_args()

    found = blocks.from_document(arguments.document)
    if not found:
        print(f"{arguments.document}: no code in it")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.keep:
            os.makedirs(arguments.keep, exist_ok=True)
        for block in found:
            wrong = check(block, arguments, arguments.keep or temporary)
            print(f"{block.where}: {'ok' if wrong is None else wrong}")
            failed += wrong is not None
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the man pages of section 3 against the public headers.

- Each public function and function-like macro is in the NAME section of exactly one page, and each
  name there is one of them or the page's own.
- Each function's prototype stands in the SYNOPSIS of that page and is the header's: the compiler
  sees both.
- Each status that a header's comments name is in the page of that header's functions.
- Each public type and each knob is in some page, and each page that one points to is there.

usage: test_names.py --cc CC --headers DIR --man DIR
"""

import argparse
import glob
import os
import re
import subprocess
import sys

ACCESS = {"i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
          "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "f32": "float", "f64": "double",
          "bool": "bool", "ptr": "void *"}


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_bodies(text: str) -> str:
    """C text with what stands between braces taken out."""
    depth, kept = 0, []
    for character in text.replace('extern "C" {', ""):
        depth += character == "{"
        if depth == 0:
            kept.append(character)
        depth -= character == "}"
    return "".join(kept)


def public_functions(cc: str, headers: str, name: str) -> set[str]:
    """Functions that one header declares itself, as the preprocessor delivers them."""
    source = os.path.join(headers, "tidepool", name)
    expanded = subprocess.run([cc, "-std=c11", "-E", "-DTIDE_NO_INLINE", "-I", headers, source],
                              capture_output=True, text=True, check=True).stdout
    own, mine = [], False
    for line in expanded.splitlines():
        if match := re.match(r'# \d+ "([^"]*)"', line):
            mine = os.path.basename(match.group(1)) == name
        elif mine:
            own.append(line)
    declarations = without_bodies("\n".join(own))
    functions = {n for n in re.findall(r"\b(tide_\w+)\s*\(", declarations) if not n.endswith("_")}
    macros = {n for n in re.findall(r"^#define (tide_\w+)\(", read(source), re.M)
              if not n.endswith("_")}
    return functions | macros


class Page:
    def __init__(self, path: str):
        self.path = path
        self.noun = os.path.basename(path).rsplit(".", 1)[0]
        self.text = read(path)
        self.sections: dict[str, str] = {}
        for part in re.split(r"^\.Sh ", self.text, flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            self.sections[title.strip()] = body
        self.names = re.findall(r"^\.Nm (\w+)", self.sections.get("NAME", ""), re.M)

    def prototypes(self) -> list[tuple[str, str]]:
        """(name, prototype) of each .Ft/.Fn and .Fo/.Fa/.Fc of the SYNOPSIS."""
        found, result, arguments, opened = [], "", [], None
        for line in self.sections.get("SYNOPSIS", "").splitlines():
            macro, _, rest = line.partition(" ")
            words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', rest)]
            if macro == ".Ft":
                result = rest.strip('"')
            elif macro == ".Fn":
                found.append((words[0], f"{result} {words[0]}({', '.join(words[1:]) or 'void'});"))
            elif macro == ".Fo":
                opened, arguments = words[0], []
            elif macro == ".Fa":
                arguments += words
            elif macro == ".Fc" and opened is not None:
                found.append((opened, f"{result} {opened}({', '.join(arguments) or 'void'});"))
        return found


def spelled_out(prototypes: list[tuple[str, str]], declared: dict[str, str]
                ) -> list[tuple[str, str]]:
    """Families written with T become one prototype for each of their members that a header has."""
    result = []
    for name, prototype in prototypes:
        if re.search(r"_T(_|$)", name):
            for letter, ctype in ACCESS.items():
                member = re.sub(r"_T(?=_|$)", "_" + letter, name)
                if member in declared:
                    result.append((member, re.sub(r"\bT\b", ctype,
                                                  re.sub(r"_T(?=[_(])", "_" + letter, prototype))))
        else:
            result.append((name, prototype))
    return result


def compile_prototypes(cc: str, headers: str, prototypes: list[str]) -> str:
    source = "#include <tidepool/tidepool.h>\n" + "\n".join(prototypes) + "\n"
    done = subprocess.run([cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                           "-DTIDE_NO_INLINE", "-fsyntax-only", "-I", headers, "-x", "c", "-"],
                          input=source, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--headers", required=True)
    parser.add_argument("--man", required=True)
    arguments = parser.parse_args()
    wrong: list[str] = []

    pages = [Page(path) for path in sorted(glob.glob(os.path.join(arguments.man, "*.3")))]
    declared: dict[str, str] = {}  # function → header
    texts = {}
    for path in sorted(glob.glob(os.path.join(arguments.headers, "tidepool", "*.h"))):
        name = os.path.basename(path)
        texts[name] = read(path)
        for function in public_functions(arguments.cc, arguments.headers, name):
            declared[function] = name
    if len(declared) < 100:
        wrong.append(f"only {len(declared)} functions found in the headers: this test is broken")

    page_of: dict[str, Page] = {}
    for page in pages:
        for name in page.names:
            if name == page.noun and name not in declared:
                continue
            if name not in declared:
                wrong.append(f"{page.path}: NAME lists {name}, which no header has")
            elif name in page_of:
                wrong.append(f"{page.path}: {name} is in {page_of[name].path} too")
            else:
                page_of[name] = page
    for name, header in sorted(declared.items()):
        if name not in page_of:
            wrong.append(f"{header}: {name} is in no page's NAME")

    compared = 0
    for page in pages:
        prototypes = spelled_out(page.prototypes(), declared)
        shown = {name for name, _ in prototypes}
        macros = set(re.findall(r"^#define (tide_\w+)\(", "".join(texts.values()), re.M))
        for name in page.names:
            if name in declared and name not in shown:
                wrong.append(f"{page.path}: no prototype of {name} in the SYNOPSIS")
        real = [p for name, p in prototypes if name not in macros]
        compared += len(real)
        if complaint := compile_prototypes(arguments.cc, arguments.headers, real):
            wrong.append(f"{page.path}: the SYNOPSIS is not what the headers say:\n{complaint}")

    every_page = "".join(page.text for page in pages)
    statuses = re.findall(r"^\s+(TIDE_\w+) = \d+,?", texts["status.h"], re.M)
    for header, text in texts.items():
        homes = {page_of[f].path: page_of[f] for f, h in declared.items()
                 if h == header and f in page_of}
        if not homes:
            continue
        together = "".join(page.text for page in homes.values())
        for status in statuses:
            short = status.removeprefix("TIDE_")
            if re.search(rf"\b(TIDE_)?{short}\b", text) and not re.search(
                    rf"\b(TIDE_)?{short}\b", together):
                wrong.append(f"{header} names {short}: not in {', '.join(homes)}")
        for kind in re.findall(r"^\} (tide_\w+);|^typedef \w+ (tide_\w+);", text, re.M):
            if not re.search(rf"\b{kind[0] or kind[1]}\b", every_page):
                wrong.append(f"{header}: no page speaks of the type {kind[0] or kind[1]}")
    for knob in set(re.findall(r"\bTIDEPOOL_[A-Z_]+[A-Z]\b", texts["config.h"])) - {
            "TIDEPOOL_CONFIG_H"}:
        if f".It Ev {knob}\n" not in every_page:
            wrong.append(f"config.h: the knob {knob} is in no page")

    titles = {page.noun for page in pages} | set(page_of)
    for page in pages:
        for target in re.findall(r"^\.Xr (tide\w*) 3", page.text, re.M):
            if target not in titles:
                wrong.append(f"{page.path}: there is no page {target}(3)")

    for line in wrong:
        print(line)
    print(f"{len(declared)} functions, {len(pages)} pages, {compared} prototypes compared, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

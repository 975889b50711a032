# SPDX-License-Identifier: Apache-2.0
"""Finds the C code in the documents: fenced blocks of Markdown, displays of man pages.

A block with a main() is a program. Any other block is a fragment, and says in a comment before it
what it stands in:

    <!-- given: tide_arena *arena, size_t count -->     statements in a function with these
    <!-- file scope -->                                 declarations, at file scope

(in a man page: .\\" given: …). After a program, a fence marked `output` holds everything it prints,
on stdout and stderr; … in it stands for any text. A program that ends in a fault is fenced as
`c aborts`.
"""

import dataclasses
import re


@dataclasses.dataclass
class Block:
    where: str  # "file:line" of its first line of code
    code: str
    given: str | None = None  # parameters around a fragment
    file_scope: bool = False
    aborts: bool = False
    output: str | None = None

    @property
    def is_program(self) -> bool:
        return re.search(r"\bmain\s*\(", self.code) is not None


def _context(block: Block, comment: str) -> None:
    if comment.startswith("given:"):
        block.given = comment[len("given:"):].strip()
    elif comment == "file scope":
        block.file_scope = True


def from_markdown(path: str) -> list[Block]:
    blocks: list[Block] = []
    comment = ""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            info = line[3:].split()
            first = i + 1
            i = first
            while i < len(lines) and not lines[i].startswith("```"):
                i += 1
            if i == len(lines):
                raise SystemExit(f"{path}:{first}: this fence is never closed")
            text = "\n".join(lines[first:i]) + "\n"
            if info[:1] == ["c"]:
                block = Block(f"{path}:{first + 1}", text, aborts="aborts" in info[1:])
                _context(block, comment)
                blocks.append(block)
            elif info == ["output"]:
                if not blocks or not blocks[-1].is_program or blocks[-1].output is not None:
                    raise SystemExit(f"{path}:{first}: output without a program before it")
                blocks[-1].output = text
            elif info not in (["sh"], ["text"]):
                raise SystemExit(f"{path}:{first}: a fence of no known kind: {line}")
            comment = ""
        elif match := re.fullmatch(r"<!--\s*(.*?)\s*-->", line):
            comment = match.group(1)
        elif line.strip():
            comment = ""
        i += 1
    return blocks


def _unescape(line: str) -> str:
    """One line of an mdoc literal display as a reader sees it."""
    line = line.removeprefix("\\&")
    return re.sub(r"\\(&|e|-|\(aq|\(dq|\(ga|\(ha|\(ti)",
                  lambda m: {"&": "", "e": "\\", "-": "-", "(aq": "'", "(dq": '"', "(ga": "`",
                             "(ha": "^", "(ti": "~"}[m.group(1)], line)


def from_man(path: str) -> list[Block]:
    """The literal displays of a page's EXAMPLES, unless it is about commands."""
    blocks: list[Block] = []
    section = comment = ""
    code: list[str] | None = None
    first = 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.startswith(".Sh "):
                section = line[4:].strip()
            elif section != "EXAMPLES":
                continue
            elif line.startswith('.\\"'):
                comment = line[3:].strip()
            elif line.startswith(".Bd -literal"):
                code, first = [], number + 1
            elif line == ".Ed" and code is not None:
                block = Block(f"{path}:{first}", "\n".join(code) + "\n")
                _context(block, comment)
                blocks.append(block)
                code, comment = None, ""
            elif code is not None:
                if line.startswith("."):
                    raise SystemExit(f"{path}:{number}: a macro in the middle of code: {line}")
                code.append(_unescape(line))
    return blocks


def from_document(path: str) -> list[Block]:
    return from_markdown(path) if path.endswith(".md") else from_man(path)

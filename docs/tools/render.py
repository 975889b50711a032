#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the man pages by mandoc, and the guide by lowdown where there is one (else it is copied),
into a folder of HTML with an index.

usage: render.py --source ROOT --out DIR
"""

import argparse
import glob
import html
import os
import re
import shutil
import subprocess

# Pages that are not ours are the system's.
LINKS = "%N.%S.html;https://manpages.debian.org/%N.%S"


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def output_of(command: list[str], folder: str = ".") -> str:
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.M)
    return match.group(1) if match else ""


def render_guide(source: str, out: str) -> list[str]:
    os.makedirs(out)
    shutil.copytree(os.path.join(source, "examples"), os.path.join(out, "..", "examples"))
    items = []
    for chapter in sorted(glob.glob(os.path.join(source, "docs", "guide", "*.md"))):
        text, name = read(chapter), os.path.basename(chapter)
        title = found("^# (.*)$", text)
        if shutil.which("lowdown"):
            text = output_of(["lowdown", "-s", "-m", "title:" + title, "-Thtml", chapter])
            name = name.removesuffix(".md") + ".html"
        write(os.path.join(out, name), text.replace("../../examples/", "../examples/"))
        items.append(f"<li><a href='guide/{name}'>{html.escape(title)}</a>")
    return items


def render_man(source: str, out: str) -> list[str]:
    os.makedirs(out)
    pages = sorted(glob.glob(os.path.join(source, "docs", "man", "man*", "*.[0-9]")))
    items = []
    for page in pages:  # first the names: mandoc looks for them when it makes links
        text, name = read(page), os.path.basename(page)
        title, section = name.rsplit(".", 1)
        write(os.path.join(out, name + ".html"), "")
        for other in re.findall(r"^\.Nm (\w+)", text.partition("\n.Nd ")[0], re.M):
            if other != title:
                os.symlink(name + ".html", os.path.join(out, f"{other}.{section}.html"))
        items.append(f"<li><a href='man/{name}.html'>{title}({section})</a>: "
                     f"{html.escape(found('^[.]Nd (.*)$', text))}")
    for page in pages:
        rendered = output_of(["mandoc", "-Thtml", "-Oman=" + LINKS, os.path.abspath(page)], out)
        write(os.path.join(out, os.path.basename(page) + ".html"), rendered)
    return items


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    guide = render_guide(arguments.source, os.path.join(arguments.out, "guide"))
    man = render_man(arguments.source, os.path.join(arguments.out, "man"))
    write(os.path.join(arguments.out, "index.html"),
          "\n".join(["<!DOCTYPE html><meta charset=utf-8><title>tidepool</title>",
                     "<h1>tidepool</h1>", "<h2>Guide</h2><ul>", *guide, "</ul>",
                     "<h2>Man pages</h2><ul>", *man, "</ul>", ""]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each relative link of the given Markdown documents leads to a file of the tree, and each #part of
one to a heading there.

usage: test_links.py DOCUMENT…
"""

import os
import re
import sys


def anchors(path: str) -> set[str]:
    """The headings of a document, as GitHub makes anchors of them."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    headings = re.findall(r"^#+ +(.*?) *$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def main() -> int:
    seen, wrong = 0, []
    for document in sys.argv[1:]:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            seen += 1
            path, _, part = target.partition("#")
            path = os.path.join(os.path.dirname(document), path) if path else document
            if not os.path.exists(path):
                wrong.append(f"{document}: {target} leads nowhere")
            elif part and part not in anchors(path):
                wrong.append(f"{document}: {path} has no heading #{part}")
    for line in wrong:
        print(line)
    print(f"{seen} links, {len(wrong)} wrong")
    return 0 if seen and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())

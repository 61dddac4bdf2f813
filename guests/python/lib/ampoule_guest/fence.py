"""Code in a Markdown fence, perhaps with prose around it."""

from .own import __builtins__

import re

# Languages that a fence may name, and be run.
LANGUAGES = frozenset({"python", "py", "python3", "py3", "pycon", "ipython", "python3.14"})

# A line that opens a fence: the mark, and the word after it.
OPENING = re.compile(r"(`{3,}|~{3,})\s*([A-Za-z0-9+\-_.#]*)(?:[ {,][^`]*)?$")

# Space, and a byte order mark.
SPACE = " \t\r\n\f\v\ufeff"


class Block:
    """One fenced block: the lines from `first` up to `end` are its own."""

    def __init__(self, opening, language):
        self.opening = opening
        self.first = opening + 1
        self.end = None
        self.closing = None
        self.language = language.lower()

    def lines(self):
        return range(self.first, self.end)

    def whole(self):
        return range(self.opening, self.end if self.closing is None else self.closing + 1)

    def is_blank(self, lines):
        return not any(lines[at].strip(SPACE) for at in self.lines())


def unfenced(source, parses):
    """The text with empty lines for all but the fenced code, or None if there is no fence. Of several fences, those that name this
    language count, and where none does, those that name none. Where those hold nothing, the code is around them. `parses` tells
    whether a text is code; it is asked only where the fences leave a doubt."""
    lines = source.split("\n")
    blocks = _blocks(lines, parses)
    if blocks and _is_stray(blocks[-1], lines, parses):
        stray = blocks.pop()
        if not blocks:
            return _kept(lines, range(stray.opening))
    chosen = [block for block in blocks if block.language in LANGUAGES] or [block for block in blocks if not block.language]
    if not chosen:
        return None
    if all(block.is_blank(lines) for block in chosen):
        gone = {at for block in chosen for at in block.whole()}
        return _kept(lines, [at for at in range(len(lines)) if at not in gone])
    return _kept(lines, {at for block in chosen for at in block.lines()})


def _kept(lines, kept):
    return "\n".join(line if at in kept else "" for at, line in enumerate(lines))


def _is_stray(block, lines, parses):
    """Whether it is what a model forgot to leave out: a fence that closes code which none opened."""
    if block.closing is not None:
        return False
    before = "\n".join(lines[: block.opening])
    return block.is_blank(lines) or not block.language and bool(before.strip(SPACE)) and parses(before)


def _blocks(lines, parses):
    """The fenced blocks. What is code as it is has none but in its texts."""
    blocks = []
    mark = None
    is_code = None
    for at, line in enumerate(lines):
        text = line.strip(SPACE)
        if mark is not None:
            if text.startswith(mark) and not text.strip(mark[0]):
                blocks[-1].end = blocks[-1].closing = at
                mark = None
            continue
        if text[:3] not in ("```", "~~~"):
            continue
        opening = OPENING.match(text)
        if opening is None:
            continue
        if is_code is None and any(line.strip(SPACE) for line in lines[:at]):
            # A text in triple quotes may hold fences.
            is_code = parses("\n".join(lines))
        if is_code:
            return []
        mark = opening[1]
        blocks.append(Block(at, opening[2]))
    if mark is not None:
        # A fence that is never closed runs to the end, as in Markdown.
        blocks[-1].end = len(lines)
    return blocks

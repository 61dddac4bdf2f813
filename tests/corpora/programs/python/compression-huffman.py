"""Huffman coding with a heap, to bits and back."""
from __future__ import annotations
import heapq
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Optional

@dataclass(order=True)
class Node:
    weight: int
    order: int
    symbol: Optional[str] = field(default=None, compare=False)
    left: Node | None = field(default=None, compare=False, repr=False)
    right: Node | None = field(default=None, compare=False, repr=False)

def tree(text: str) -> Node:
    order = count()
    heap = [Node(w, next(order), s) for s, w in sorted(Counter(text).items())]
    heapq.heapify(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, Node(a.weight + b.weight, next(order), left=a, right=b))
    return heap[0]

def codes(node: Node, prefix="") -> dict[str, str]:
    match node:
        case Node(symbol=str(symbol)):
            return {symbol: prefix or "0"}
        case Node(left=left, right=right):
            return codes(left, prefix + "0") | codes(right, prefix + "1")

text = "she sells sea shells by the sea shore — ünïcode ✓"
root = tree(text)
table = codes(root)
for symbol, code in sorted(table.items(), key=lambda item: (len(item[1]), item[0]))[:8]:
    print(repr(symbol), code)
bits = "".join(map(table.__getitem__, text))
packed = int("1" + bits, 2).to_bytes((len(bits) + 8) // 8, "big")
print(len(text.encode()), len(packed), packed.hex(" ", 4))
unpacked, node, reverse = [], root, {v: k for k, v in table.items()}
word = ""
for bit in bin(int.from_bytes(packed))[3:]:
    word += bit
    if word in reverse:
        unpacked.append(reverse[word]); word = ""
print("".join(unpacked) == text, root, sum(len(c) for c in table.values()))
print(abs(sum(2.0 ** -len(c) for c in table.values()) - 1) < 1e-12)

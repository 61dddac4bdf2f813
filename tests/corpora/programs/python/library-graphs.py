from graphlib import TopologicalSorter, CycleError
from collections import deque, defaultdict
from heapq import heappush, heappop
from functools import cache
import math, json

tasks = {"deploy": {"test", "package"}, "test": {"build"}, "package": {"build", "docs"}, "build": {"deps"}, "docs": set()}
sorter = TopologicalSorter(tasks); sorter.prepare(); waves = []
while sorter.is_active():
    ready = sorted(sorter.get_ready()); waves.append(ready); sorter.done(*ready)
print(waves)
try: TopologicalSorter({"a": ["b"], "b": ["c"], "c": ["a"]}).prepare()
except CycleError as error: print(error.args[0], sorted(error.args[1][:-1]))
GRID = ["S..#....", ".#.#.##.", ".#...#..", ".####.#.", "......#E"]
cells = {(r, c): ch for r, row in enumerate(GRID) for c, ch in enumerate(row)}
start, goal = (next(p for p, ch in cells.items() if ch == x) for x in "SE")
def astar(start, goal):
    h = lambda p: abs(p[0] - goal[0]) + abs(p[1] - goal[1]); heap, came, cost = [(h(start), start)], {start: None}, {start: 0}
    while heap:
        _, at = heappop(heap)
        if at == goal:
            path = [];
            while at: path.append(at); at = came[at]
            return path[::-1]
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            to = at[0] + dr, at[1] + dc
            if cells.get(to, "#") != "#" and cost[at] + 1 < cost.get(to, math.inf): cost[to], came[to] = cost[at] + 1, at; heappush(heap, (cost[to] + h(to), to))
path = astar(start, goal); print(len(path), path[-3:])
print("\n".join("".join("o" if (r, c) in path[1:-1] else ch for c, ch in enumerate(row)) for r, row in enumerate(GRID)))
graph = defaultdict(dict)
for a, b, w in [("A", "B", 7), ("A", "D", 5), ("B", "C", 8), ("B", "D", 9), ("B", "E", 7), ("C", "E", 5), ("D", "E", 15), ("D", "F", 6), ("E", "F", 8), ("E", "G", 9), ("F", "G", 11)]: graph[a][b] = graph[b][a] = w
parent = {v: v for v in graph}
def find(v):
    while parent[v] != v: parent[v] = parent[parent[v]]; v = parent[v]
    return v
tree = []
for w, a, b in sorted((w, a, b) for a in graph for b, w in graph[a].items() if a < b):
    if find(a) != find(b): parent[find(a)] = find(b); tree.append((a, b, w))
print(tree, sum(w for *_, w in tree))
@cache
def knapsack(i, room, items=((60, 10), (100, 20), (120, 30), (30, 5))):
    if i == len(items): return 0, ()
    without = knapsack(i + 1, room); value, weight = items[i]
    return max(without, (knapsack(i + 1, room - weight)[0] + value, (i, *knapsack(i + 1, room - weight)[1]))) if weight <= room else without
print(knapsack(0, 50))
def life(cells): n = defaultdict(int); [n.__setitem__((x + i, y + j), n[x + i, y + j] + 1) for x, y in cells for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]; return {c for c in n if n[c] == 3 or n[c] == 2 and c in cells}
g = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for _ in range(4): g = life(g)
print(sorted(g)); print(json.dumps({k: sorted(v) for k, v in graph.items()}))

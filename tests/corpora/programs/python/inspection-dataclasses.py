from dataclasses import dataclass, field, fields, asdict, astuple, replace, KW_ONLY, InitVar, make_dataclass, is_dataclass, FrozenInstanceError
from typing import ClassVar, Any
import copy, json, pprint

@dataclass
class Base:
    id: int
    tags: list[str] = field(default_factory=list, compare=False)
    count: ClassVar[int] = 0
    def __post_init__(self): Base.count += 1

@dataclass(order=True, unsafe_hash=True)
class Item(Base):
    _: KW_ONLY
    price: float = field(default=0.0, metadata={"unit": "EUR"})
    secret: str = field(default="hidden", repr=False, hash=False)
    scale: InitVar[int] = 1
    total: float = field(init=False)
    def __post_init__(self, scale):
        super().__post_init__(); self.total = self.price * scale

a = Item(1, ["x"], price=2.5, scale=4); b = Item(1, price=2.5, scale=4)
print(a, b, a == b, a is b, Base.count, sep=" | ")
print(asdict(a), astuple(b), replace(a, id=9, scale=2))
print([(f.name, f.type if isinstance(f.type, str) else f.type.__name__ if isinstance(f.type, type) else str(f.type), dict(f.metadata)) for f in fields(Item)])
print(sorted([Item(2), Item(1, price=3), Item(1, price=1)], reverse=True)[0], Item.__match_args__, hash(a) == hash(b))
@dataclass(frozen=True, slots=True)
class Point:
    x: int; y: int = 0
    def __add__(self, o): return Point(self.x + o.x, self.y + o.y)
p = Point(1, 2)
for attempt in (lambda: setattr(p, "x", 3), lambda: setattr(p, "z", 3), lambda: Point(), lambda: Point(1, 2, 3), lambda: a < 5, lambda: dataclass(type("Bad", (), {"__annotations__": {"x": list}, "x": []}))):
    try: print(attempt())
    except (FrozenInstanceError, AttributeError, TypeError, ValueError) as error: print(type(error).__name__, "|", error)
print(sum([p, p], Point(0)), copy.replace(p, y=7), copy.copy(p) is p, {p: 1}[Point(1, 2)])
match p:
    case Point(x, y=2): print("matched", x)
Made = make_dataclass("Made", [("name", str), ("n", int, 3), ("any", Any, None)], namespace={"twice": lambda self: self.n * 2}, bases=())
print(Made("m"), Made("m").twice(), is_dataclass(Made), Made.__doc__)
pprint.pprint(Item(5, tags=["long tag " + str(n) for n in range(8)], price=1e6), width=60)
print(json.dumps(asdict(Made("j"))), repr(Base.__dataclass_fields__["tags"].default_factory))

from enum import Enum, IntEnum, StrEnum, Flag, IntFlag, auto, unique, nonmember, member, verify, CONTINUOUS, NAMED_FLAGS, EnumType, property as enum_property, KEEP, STRICT
from functools import singledispatch, singledispatchmethod, reduce, cmp_to_key, partialmethod
from abc import ABC, abstractmethod

class Color(Enum):
    RED = 1; GREEN = 2; CRIMSON = 1
    @property
    def hex(self): return f"#{self.value:06x}"
    @classmethod
    def _missing_(cls, value): return cls[value.upper()] if isinstance(value, str) and value.upper() in cls.__members__ else None
print(list(Color), Color.CRIMSON is Color.RED, Color("green"), Color.RED.hex, Color["RED"], repr(Color), dict(Color.__members__), Color.RED in Color, 1 in Color)
for bad in (lambda: Color(9), lambda: Color["BLUE"], lambda: Color.BLUE, lambda: setattr(Color, "RED", 5), lambda: type("X", (Color,), {}), lambda: Color.RED < Color.GREEN):
    try: print(bad())
    except Exception as error: print(type(error).__name__, error)
class Perm(Flag):
    R = auto(); W = auto(); X = auto(); RWX = R | W | X
rw = Perm.R | Perm.W
print(rw, repr(rw), ~rw, Perm.RWX & ~Perm.W, Perm(5), Perm(0), bool(Perm(0)), list(Perm.RWX), Perm.R in rw, len(rw), rw ^ Perm.R, Perm.R.value | 8)
class Size(StrEnum):
    SMALL = auto(); LARGE = "L"
class Level(IntEnum):
    LOW = 10; HIGH = 20
print(f"{Size.SMALL} {Size.LARGE!r} {Level.HIGH} {Level.HIGH!r} {Level.LOW + 1} {Level.HIGH > 15} {Size.SMALL.upper()} {Level.HIGH:>5}", IntFlag("F", "A B C")(3), Enum("Animal", "CAT DOG").DOG, Level(10).name)
class Planet(Enum):
    EARTH = (5.97e24, 6.37e6); MARS = (6.4e23, 3.4e6)
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
    gravity = enum_property(lambda self: 6.67e-11 * self.mass / self.radius ** 2)
print([f"{p.name} {p.gravity:.2f}" for p in Planet])
try:
    @unique
    class Dup(Enum): A = 1; B = 1
except ValueError as error: print(error)
@singledispatch
def show(x): return f"other {x!r}"
@show.register
def _(x: int | float): return f"number {x}"
@show.register(list)
def _(x): return [show(i) for i in x]
print(show([1, 2.5, "s", [None]]), show.dispatch(bool) is show.dispatch(int), sorted(t.__name__ for t in show.registry))
class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...
    @abstractmethod
    def draw(self): ...
for cls in (Shape, type("Half", (Shape,), {"area": 1})):
    try: cls()
    except TypeError as error: print(error)
print(sorted(["b10", "b9", "a"], key=cmp_to_key(lambda a, b: (len(a) - len(b)) or (a > b) - (a < b))), reduce(lambda a, b: a * b, range(1, 6)))

from typing import (Any, Generic, NamedTuple, NewType, Protocol, TypedDict, TypeVar, overload, runtime_checkable, Self, Required, NotRequired, ParamSpec, get_type_hints,
                    Final, Unpack, assert_never, cast, TYPE_CHECKING, get_overloads, Literal, is_typeddict, TypeIs, ReadOnly, Never, Concatenate)
import annotationlib, collections.abc as abc, types, sys

type Json = dict[str, Json] | list[Json] | str | int | None
type Pair[T] = tuple[T, T]
print(Json, Json.__value__, Pair[int], Pair.__type_params__, Pair[int].__origin__ is Pair)
class Stack[T: (int, str)]:
    def __init__(self) -> None: self.items: list[T] = []
    def push(self, item: T) -> Self: self.items.append(item); return self
    def __class_getitem__(cls, item): return super().__class_getitem__(item)
print(Stack[int], Stack.__type_params__, Stack.__type_params__[0].__constraints__, Stack[int]().push(3).items, Stack.__orig_bases__)
@runtime_checkable
class Closes(Protocol):
    def close(self) -> None: ...
print(isinstance(open("/tmp/t", "w"), Closes), issubclass(int, Closes), isinstance(3, abc.Hashable))
class Movie(TypedDict, total=False):
    title: Required[str]
    year: int
    id: ReadOnly[NotRequired[int]]
print(Movie(title="x"), Movie.__required_keys__, sorted(Movie.__optional_keys__), is_typeddict(Movie), get_type_hints(Movie))
class Point(NamedTuple):
    x: int
    y: "int" = 0
print(Point(1), Point._fields, Point._field_defaults, Point.__annotations__, Point(1, 2)[::-1])
UserId = NewType("UserId", int)
print(UserId(5) + 1, UserId, UserId.__supertype__)
@overload
def f(x: int) -> str: ...
@overload
def f(x: str) -> int: ...
def f(x): return x
print(len(get_overloads(f)), [o.__annotations__["return"].__name__ for o in get_overloads(f)])
def lazy(x: Undefined, y: list[Missing.attr] = 1) -> Later: ...
print(annotationlib.get_annotations(lazy, format=annotationlib.Format.STRING), annotationlib.get_annotations(lazy, format=annotationlib.Format.FORWARDREF)["x"].__forward_arg__)
try: lazy.__annotations__
except NameError as error: print(error)
print(int | None, list[int] | str, (int | str) == (str | int), isinstance(3, int | str), types.UnionType, Literal["a", "b"] | None)
for bad in (lambda: Stack[int, str], lambda: isinstance([], list[int]), lambda: Point(), lambda: Any(), lambda: Movie.title, lambda: assert_never(3), lambda: Generic[int], lambda: int["x"]):
    try: print(bad())
    except Exception as error: print(type(error).__name__, error)
T = TypeVar("T", bound="Point", default=Point); P = ParamSpec("P")
print(repr(T), T.__bound__, T.__default__, P.args, Concatenate[int, P], abc.Callable[P, T], cast(int, "x"), tuple[int, ...], dict[str, T][Point], Never)

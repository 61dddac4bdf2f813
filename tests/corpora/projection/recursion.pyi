# mypy: disable-error-code=override
# pyright: reportIncompatibleMethodOverride=false
from typing import (
    Any as Any, Literal as Literal, Never as Never, NotRequired as NotRequired, TypeAlias as TypeAlias, TypedDict as TypedDict,
    Unpack as Unpack, overload as overload,
)
from tools import Call as Call

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class Node(dict[str, Any]):
    value: str
    children: list[Node]
    parent: Node | None
    @overload
    def __getitem__(self, key: Literal["value"], /) -> str: ...
    @overload
    def __getitem__(self, key: Literal["children"], /) -> list[Node]: ...
    @overload
    def __getitem__(self, key: Literal["parent"], /) -> Node | None: ...
    @overload
    def get(self, key: Literal["children"], default: None = ..., /) -> list[Node] | None: ...
    @overload
    def get(self, key: Literal["parent"], default: None = ..., /) -> Node | None | None: ...
    @overload
    def get(self, key: str, default: Any = ..., /) -> Any: ...

class SelfArguments(TypedDict):
    name: str
    sub: NotRequired[SelfArguments]

Json_: TypeAlias = str | float | bool | list[Json_] | dict[str, Json_] | None

class DynamicArguments(TypedDict):
    data: NotRequired[Json]
    children: NotRequired[list[DynamicArguments]]

class RecursiveRefArguments(TypedDict):
    children: NotRequired[list[RecursiveRefArguments]]

class Tree(TypedDict):
    id: NotRequired[str]
    a: NotRequired[str]
    b: NotRequired[str]
    child: NotRequired[Tree]
    both: NotRequired[Both]

class Both(TypedDict):
    id: NotRequired[str]
    a: NotRequired[str]
    b: NotRequired[str]
    child: NotRequired[Tree]
    both: NotRequired[Both]
    c: NotRequired[str]

class NodeInput(TypedDict):
    value: str
    children: NotRequired[list[NodeInput]]
    parent: NotRequired[NodeInput | None]

class TreeArgs(TypedDict):
    root: NodeInput

class JsonArgs(TypedDict):
    value: NotRequired[Json_]

class MergedArgs(TypedDict):
    tree: NotRequired[Tree]

@overload
def tree(**args: Unpack[TreeArgs]) -> Call[Node]:
    ...
@overload
def tree(args: TreeArgs, /) -> Call[Node]: ...

@overload
def self_(**args: Unpack[SelfArguments]) -> Call[Untyped]:
    ...
@overload
def self_(args: SelfArguments, /) -> Call[Untyped]: ...
self = self_

@overload
def json(**args: Unpack[JsonArgs]) -> Call[Untyped]:
    ...
@overload
def json(args: JsonArgs = ..., /) -> Call[Untyped]: ...

@overload
def dynamic(**args: Unpack[DynamicArguments]) -> Call[Untyped]:
    ...
@overload
def dynamic(args: DynamicArguments = ..., /) -> Call[Untyped]: ...

@overload
def recursive_ref(**args: Unpack[RecursiveRefArguments]) -> Call[Untyped]:
    ...
@overload
def recursive_ref(args: RecursiveRefArguments = ..., /) -> Call[Untyped]: ...

@overload
def merged(**args: Unpack[MergedArgs]) -> Call[Untyped]:
    ...
@overload
def merged(args: MergedArgs = ..., /) -> Call[Untyped]: ...

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

class GetXArgs_h7b33a6(TypedDict):
    a: NotRequired[str]

class GetXArgs_hbbcbc5(TypedDict):
    a: NotRequired[str]

class GetX2Args(TypedDict):
    a: NotRequired[str]

class GetYArgs_hb56d19(TypedDict):
    a: NotRequired[str]

class GetYArgs_h0d3109(TypedDict):
    a: NotRequired[str]

class ApiGetUserArgs(TypedDict):
    a: NotRequired[str]

class ListUrLsArgs(TypedDict):
    a: NotRequired[str]

class DeleteArgs(TypedDict):
    a: NotRequired[str]

class ClassArgs(TypedDict):
    a: NotRequired[str]

class ThenArgs(TypedDict):
    a: NotRequired[str]

class ConstructorArgs(TypedDict):
    a: NotRequired[str]

class ProtoArgs(TypedDict):
    a: NotRequired[str]

class ToStringArgs(TypedDict):
    a: NotRequired[str]

class N1passwordArgs(TypedDict):
    a: NotRequired[str]

class U65e5u672cu8a9eArgs(TypedDict):
    a: NotRequired[str]

class NauefveCafue9Args(TypedDict):
    a: NotRequired[str]

class Args_h103275(TypedDict):
    a: NotRequired[str]

class Args_had2914(TypedDict):
    a: NotRequired[str]

class Args_hc89e56(TypedDict):
    a: NotRequired[str]

class Args_h548780(TypedDict):
    a: NotRequired[str]

class Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h845b6a(TypedDict):
    a: NotRequired[str]

class Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9f5770(TypedDict):
    a: NotRequired[str]

class SnakeCaseNameArgs(TypedDict):
    a: NotRequired[str]

class ScreamingCaseArgs(TypedDict):
    a: NotRequired[str]

class V20ItemsArgs(TypedDict):
    a: NotRequired[str]

class XArgs_hd42603(TypedDict):
    a: NotRequired[str]

class XArgs_h2416b2(TypedDict):
    a: NotRequired[str]

class U1c6Args(TypedDict):
    a: NotRequired[str]

class UdfArgs(TypedDict):
    a: NotRequired[str]

@overload
def get_x_h42da3a(**args: Unpack[GetXArgs_h7b33a6]) -> Call[Untyped]:
    """The tool \"get-x\"."""
@overload
def get_x_h42da3a(args: GetXArgs_h7b33a6 = ..., /) -> Call[Untyped]: ...

@overload
def get_x(**args: Unpack[GetXArgs_hbbcbc5]) -> Call[Untyped]:
    ...
@overload
def get_x(args: GetXArgs_hbbcbc5 = ..., /) -> Call[Untyped]: ...

@overload
def get_x2(**args: Unpack[GetX2Args]) -> Call[Untyped]:
    ...
@overload
def get_x2(args: GetX2Args = ..., /) -> Call[Untyped]: ...
getX2 = get_x2

@overload
def get_y_h924b2a(**args: Unpack[GetYArgs_hb56d19]) -> Call[Untyped]:
    """The tool \"get.y\"."""
@overload
def get_y_h924b2a(args: GetYArgs_hb56d19 = ..., /) -> Call[Untyped]: ...

@overload
def get_y_hd08023(**args: Unpack[GetYArgs_h0d3109]) -> Call[Untyped]:
    """The tool \"Get Y\"."""
@overload
def get_y_hd08023(args: GetYArgs_h0d3109 = ..., /) -> Call[Untyped]: ...

@overload
def api_get_user(**args: Unpack[ApiGetUserArgs]) -> Call[Untyped]:
    ...
@overload
def api_get_user(args: ApiGetUserArgs = ..., /) -> Call[Untyped]: ...

@overload
def list_ur_ls(**args: Unpack[ListUrLsArgs]) -> Call[Untyped]:
    ...
@overload
def list_ur_ls(args: ListUrLsArgs = ..., /) -> Call[Untyped]: ...
listURLs = list_ur_ls

@overload
def delete(**args: Unpack[DeleteArgs]) -> Call[Untyped]:
    ...
@overload
def delete(args: DeleteArgs = ..., /) -> Call[Untyped]: ...

@overload
def class_(**args: Unpack[ClassArgs]) -> Call[Untyped]:
    ...
@overload
def class_(args: ClassArgs = ..., /) -> Call[Untyped]: ...

@overload
def then(**args: Unpack[ThenArgs]) -> Call[Untyped]:
    ...
@overload
def then(args: ThenArgs = ..., /) -> Call[Untyped]: ...

@overload
def constructor(**args: Unpack[ConstructorArgs]) -> Call[Untyped]:
    ...
@overload
def constructor(args: ConstructorArgs = ..., /) -> Call[Untyped]: ...

@overload
def proto(**args: Unpack[ProtoArgs]) -> Call[Untyped]:
    ...
@overload
def proto(args: ProtoArgs = ..., /) -> Call[Untyped]: ...
__proto__ = proto

@overload
def to_string(**args: Unpack[ToStringArgs]) -> Call[Untyped]:
    ...
@overload
def to_string(args: ToStringArgs = ..., /) -> Call[Untyped]: ...
toString = to_string

@overload
def _1password(**args: Unpack[N1passwordArgs]) -> Call[Untyped]:
    ...
@overload
def _1password(args: N1passwordArgs = ..., /) -> Call[Untyped]: ...

@overload
def u65e5u672cu8a9e(**args: Unpack[U65e5u672cu8a9eArgs]) -> Call[Untyped]:
    """The tool \"日本語\"."""
@overload
def u65e5u672cu8a9e(args: U65e5u672cu8a9eArgs = ..., /) -> Call[Untyped]: ...

@overload
def nauefve_cafue9(**args: Unpack[NauefveCafue9Args]) -> Call[Untyped]:
    """The tool \"naïve café\"."""
@overload
def nauefve_cafue9(args: NauefveCafue9Args = ..., /) -> Call[Untyped]: ...

@overload
def unnamed_h7f9751(**args: Unpack[Args_h103275]) -> Call[Untyped]:
    """The tool \"🎉\"."""
@overload
def unnamed_h7f9751(args: Args_h103275 = ..., /) -> Call[Untyped]: ...

@overload
def unnamed_haf1349(**args: Unpack[Args_had2914]) -> Call[Untyped]:
    """The tool \"\"."""
@overload
def unnamed_haf1349(args: Args_had2914 = ..., /) -> Call[Untyped]: ...

@overload
def unnamed_ha04ffc(**args: Unpack[Args_hc89e56]) -> Call[Untyped]:
    """The tool \"   \"."""
@overload
def unnamed_ha04ffc(args: Args_hc89e56 = ..., /) -> Call[Untyped]: ...

@overload
def unnamed_he76980(**args: Unpack[Args_h548780]) -> Call[Untyped]:
    """The tool \"$\"."""
@overload
def unnamed_he76980(args: Args_h548780 = ..., /) -> Call[Untyped]: ...

@overload
def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9957a9(**args: Unpack[Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h845b6a]) -> Call[Untyped]:
    """The tool \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…."""
@overload
def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9957a9(args: Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h845b6a = ..., /) -> Call[Untyped]: ...
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9957a9

@overload
def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_hfac378(**args: Unpack[Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9f5770]) -> Call[Untyped]:
    """The tool \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…."""
@overload
def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_hfac378(args: Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9f5770 = ..., /) -> Call[Untyped]: ...
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_hfac378

@overload
def snake_case_name(**args: Unpack[SnakeCaseNameArgs]) -> Call[Untyped]:
    ...
@overload
def snake_case_name(args: SnakeCaseNameArgs = ..., /) -> Call[Untyped]: ...

@overload
def screaming_case(**args: Unpack[ScreamingCaseArgs]) -> Call[Untyped]:
    ...
@overload
def screaming_case(args: ScreamingCaseArgs = ..., /) -> Call[Untyped]: ...
SCREAMING_CASE = screaming_case

@overload
def v2_0_items(**args: Unpack[V20ItemsArgs]) -> Call[Untyped]:
    ...
@overload
def v2_0_items(args: V20ItemsArgs = ..., /) -> Call[Untyped]: ...

@overload
def x(**args: Unpack[XArgs_hd42603]) -> Call[Untyped]:
    ...
@overload
def x(args: XArgs_hd42603 = ..., /) -> Call[Untyped]: ...

@overload
def x_hf7b966(**args: Unpack[XArgs_h2416b2]) -> Call[Untyped]:
    """The tool \"X\"."""
@overload
def x_hf7b966(args: XArgs_h2416b2 = ..., /) -> Call[Untyped]: ...
X = x_hf7b966

@overload
def u1c6(**args: Unpack[U1c6Args]) -> Call[Untyped]:
    """The tool \"ǅ\"."""
@overload
def u1c6(args: U1c6Args = ..., /) -> Call[Untyped]: ...

@overload
def udf(**args: Unpack[UdfArgs]) -> Call[Untyped]:
    """The tool \"ß\"."""
@overload
def udf(args: UdfArgs = ..., /) -> Call[Untyped]: ...

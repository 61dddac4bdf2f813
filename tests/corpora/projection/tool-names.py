# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def get_x_h42da3a(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"get-x\"."""

async def get_x(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def get_x2(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def get_y_h924b2a(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"get.y\"."""

async def get_y_hd08023(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"Get Y\"."""

async def api_get_user(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def list_ur_ls(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def delete(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def class_(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def then(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def constructor(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def proto(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def to_string(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def _1password(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def u65e5u672cu8a9e(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"日本語\"."""

async def nauefve_cafue9(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"naïve café\"."""

async def unnamed_h7f9751(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"🎉\"."""

async def unnamed_haf1349(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"\"."""

async def unnamed_ha04ffc(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"   \"."""

async def unnamed_he76980(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"$\"."""

async def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9957a9(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…."""

async def aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_hfac378(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…."""

async def snake_case_name(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def screaming_case(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def v2_0_items(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def x(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def x_hf7b966(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"X\"."""

async def u1c6(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"ǅ\"."""

async def udf(
    *,
    a: str = ...,
) -> Untyped:
    """The tool \"ß\"."""

"""A `CodeTool` in OpenAI's tool loops.

    code = pyampoule.CodeTool(runtime, [get_weather])
    response = await client.responses.create(model="…", input=input, tools=[openai.responses_tool(code)])
    input += response.output + await openai.answers(code, response)
"""

from __future__ import annotations

import json
from typing import Any

from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessage,
    ChatCompletionToolMessageParam,
)
from openai.types.responses import FunctionToolParam, Response
from openai.types.responses.response_input_param import FunctionCallOutput

from .._code import CodeTool


def responses_tool(code: CodeTool) -> FunctionToolParam:
    """The tool, for `client.responses`."""
    return {
        "type": "function",
        "name": code.name,
        "description": code.description,
        "parameters": code.input_schema,
        "strict": True,
    }


async def answers(code: CodeTool, response: Response) -> list[FunctionCallOutput]:
    """What the model is to read of each call of the tool in a response."""
    return [
        {"type": "function_call_output", "call_id": call.call_id, "output": await _run(code, call.arguments)}
        for call in response.output
        if call.type == "function_call" and call.name == code.name
    ]


def chat_tool(code: CodeTool) -> ChatCompletionFunctionToolParam:
    """The tool, for `client.chat.completions`."""
    return {
        "type": "function",
        "function": {
            "name": code.name,
            "description": code.description,
            "parameters": code.input_schema,
            "strict": True,
        },
    }


async def chat_answers(code: CodeTool, message: ChatCompletionMessage) -> list[ChatCompletionToolMessageParam]:
    """What the model is to read of each call of the tool in a message."""
    return [
        {"role": "tool", "tool_call_id": call.id, "content": await _run(code, call.function.arguments)}
        for call in message.tool_calls or []
        if call.type == "function" and call.function.name == code.name
    ]


async def _run(code: CodeTool, arguments: str) -> str:
    try:
        given: Any = json.loads(arguments)["code"]
    except (ValueError, KeyError, TypeError):
        return 'The arguments must be {"code": "…"}.'
    return await code(str(given))

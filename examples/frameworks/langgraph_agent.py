"""Code mode for LangGraph and LangChain: a script calls the program's tools, one of which needs approval. `interrupt()` stops
the graph, and the run is parked beside the checkpoint. Other processes answer, and the script goes on where it stood. The
model follows a script: nothing is sent anywhere."""

import asyncio
import multiprocessing
import pathlib
import tempfile
from typing import Any, TypedDict

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

import pyampoule
from pyampoule.adapters import langgraph

THREAD: Any = {"configurable": {"thread_id": "conversation-1"}}
SCRIPT = """
const { euros } = await host.price({ name: 'tea' })
const first = await host.refund({ euros })
let second
try { second = await host.refund({ euros: 500 }) } catch (error) { second = error.message }
return [first, second]
"""


class Scripted(GenericFakeChatModel):
    """A model that answers what it is told to."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@pyampoule.tool(read_only=True)
def price(name: str) -> dict[str, float]:
    """What a product costs."""
    return {"euros": float(len(name))}


@pyampoule.tool
def refund(euros: float) -> str:
    """Pays a customer back."""
    with pathlib.Path("refunds").open("a") as refunds:
        refunds.write(f"{euros}\n")
    return f"paid {euros:g}"


def agent(runtime: pyampoule.Runtime, saver: Any, messages: list[AIMessage]) -> Any:
    code = pyampoule.CodeTool(runtime, [price, refund], limits=pyampoule.Limits(wall_time=20))
    tools = [langgraph.tool(code, approve="host.refund")]
    return create_agent(Scripted(messages=iter(messages)), tools=tools, checkpointer=saver)


def turn(given: Any, messages: list[AIMessage]) -> None:
    """What a process does for one request, and all that it leaves is on disk."""
    with pyampoule.Runtime(parked="parked") as runtime, SqliteSaver.from_conn_string("checkpoints.db") as saver:
        result = agent(runtime, saver, messages).invoke(given, THREAD)
        asked = [call for each in result.get("__interrupt__", ()) for call in each.value["calls"]]
        said = "" if asked else f"{result['messages'][-2].content} / {result['messages'][-1].content}"
        pathlib.Path("said").write_text(f"{[call['arguments'] for call in asked]}{said}")


def in_another_process(given: Any, *messages: AIMessage) -> str:
    process = multiprocessing.get_context("spawn").Process(target=turn, args=(given, list(messages)))
    process.start()
    process.join()
    assert process.exitcode == 0
    return pathlib.Path("said").read_text()


def over_processes() -> None:
    call: Any = {"name": "run_code", "args": {"code": SCRIPT}, "id": "call-1"}
    asked = in_another_process({"messages": [("user", "Pay the tea back, and 500.")]}, AIMessage("", tool_calls=[call]))
    assert asked == "[{'euros': 3}]"
    assert not pathlib.Path("refunds").exists()
    # It is approved; the script comes to the second call.
    assert in_another_process(Command(resume=True)) == "[{'euros': 500}]"
    no = {"approved": False, "reason": "that is too much"}
    said = in_another_process(Command(resume=no), AIMessage("I paid the tea back."))
    assert said == '[]["paid 3", "that is too much"] / I paid the tea back.'
    # No call was made twice.
    assert pathlib.Path("refunds").read_text() == "3.0\n"


class State(TypedDict):
    result: Any


async def in_a_node() -> None:
    """The same without an agent: a node whose script interrupts the graph."""
    with pyampoule.Runtime(parked="parked") as runtime:
        code = pyampoule.CodeTool(runtime, [refund])

        async def pay(_: State) -> State:
            script = "return await Promise.all([1, 2].map((euros) => host.refund({ euros })))"
            outcome = await langgraph.run_code(code, script, label="conversation-2/pay", approve="*")
            return {"result": outcome.result()}

        builder = StateGraph(State)
        builder.add_node("pay", pay)
        builder.add_edge(START, "pay")
        builder.add_edge("pay", END)
        graph = builder.compile(checkpointer=InMemorySaver())
        result: Any = await graph.ainvoke({"result": None}, THREAD)
        (asked,) = result["__interrupt__"]
        assert [call["arguments"] for call in asked.value["calls"]] == [{"euros": 1}, {"euros": 2}]
        # Each call has its own answer.
        answers = {str(call["call"]): call["arguments"]["euros"] < 2 for call in asked.value["calls"]}
        try:
            await graph.ainvoke(Command(resume=answers), THREAD)
            raise AssertionError("the second call was denied")
        except pyampoule.ScriptError as error:
            assert "did not approve" in str(error)
        # None waits. The outcome of the one that was answered is kept.
        assert {run.state for run in runtime.parked()} == {"ended"}


async def before_another_question() -> None:
    """A node that is interrupted after its script runs again from its start, and pays once."""
    with pyampoule.Runtime(parked="parked") as runtime:
        code = pyampoule.CodeTool(runtime, [refund])

        async def pay(_: State) -> State:
            outcome = await langgraph.run_code(code, "return await host.refund({ euros: 7 })", label="pay", approve="*")
            return {"result": [outcome.result(), interrupt("Is that all?")]}

        graph = StateGraph(State).add_node("pay", pay).add_edge(START, "pay").compile(checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "conversation-3"}}
        await graph.ainvoke({"result": None}, thread)
        asked: Any = await graph.ainvoke(Command(resume=True), thread)
        assert asked["__interrupt__"][0].value == "Is that all?"
        done = await graph.ainvoke(Command(resume="yes"), thread)
        assert done["result"] == ["paid 7", "yes"]
    assert pathlib.Path("refunds").read_text().count("7.0") == 1


def at_once() -> None:
    """Of scripts that a model calls at once in one node, one asks, and the model learns that it does."""
    with pyampoule.Runtime(parked="parked") as runtime:
        code = pyampoule.CodeTool(runtime, [refund])
        tools = ToolNode([langgraph.tool(code, approve="host.refund")])
        graph = StateGraph(MessagesState).add_node("tools", tools).add_edge(START, "tools").compile(checkpointer=InMemorySaver())
        scripts = [f"return await host.refund({{ euros: {euros} }})" for euros in (8, 9)]
        calls: Any = [{"name": "run_code", "args": {"code": each}, "id": f"call-{at}"} for at, each in enumerate(scripts)]
        thread: Any = {"configurable": {"thread_id": "conversation-4"}}
        asked: Any = graph.invoke({"messages": [AIMessage("", tool_calls=calls)]}, thread)
        (shown,) = [call["arguments"]["euros"] for each in asked["__interrupt__"] for call in each.value["calls"]]
        done = graph.invoke(Command(resume=True), thread)
        said = sorted(message.content for message in done["messages"][1:])
        assert "another script of the same step asks for approval" in said[0]
        assert said[1] == f"paid {shown}"
    assert pathlib.Path("refunds").read_text().splitlines()[-1] == f"{shown:.1f}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        import os

        os.chdir(folder)
        over_processes()
        asyncio.run(in_a_node())
        asyncio.run(before_another_question())
        at_once()
    print("LangGraph: ok")

"""An MCP server on standard input and output: the tools of one AgentDojo suite over the environment of one case at a time.

Beside the suite's own tools it has `begin` and `finish`, for the program, and `confirm`: a person who knows what the user has
asked for, and allows just the calls that solve it.
"""

import json
import sys

from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.types import text_content_block_from_string

import policy
from suites import SUITES, calls_of_user, environment, plain


class Case:
    def __init__(self, suite, user_task, injection):
        self.suite = suite
        self.user_task = suite.get_user_task_by_id(user_task)
        self.injection = suite.get_injection_task_by_id(injection) if injection else None
        self.before = environment(suite, self.user_task, self.injection)
        self.now = self.before.model_copy(deep=True)
        self.runtime = FunctionsRuntime(suite.tools)
        self.wanted = calls_of_user(suite, self.user_task)
        self.asked = 0
        self.done = []
        self.failed = []

    def call(self, name, arguments):
        result, error = self.runtime.run_function(self.now, name, arguments)
        (self.failed if error else self.done).append((name, arguments))
        return error or tool_result_to_str(result), error is not None

    def confirm(self, name, arguments):
        self.asked += 1
        return any(name == it and same(arguments, given) for it, given in self.wanted)

    def finish(self, answer):
        trace = [FunctionCall(function=name, args=arguments) for name, arguments in self.done]
        output = [text_content_block_from_string(answer)]
        solved = self.suite._check_user_task_utility(
            self.user_task, output, self.before, self.now, trace
        )
        reached = False
        if self.injection is not None:
            own = policy.CALLS.get((self.suite.name, self.injection.ID))
            if own is not None:
                reached = any(name == it and same(arguments, given) for name, arguments in self.done for it, given in own)
            else:
                reached = self.suite._check_injection_task_security(
                    self.injection, output, self.before, self.now, trace
                )
        return {"solved": bool(solved), "reached": bool(reached), "asked": self.asked}


def same(arguments, wanted):
    """Whether these are the arguments: what is left out is `null`."""
    def given(them):
        return {key: it for key, it in plain(them).items() if it is not None}

    return given(arguments) == given(wanted)


class Server:
    def __init__(self, suite):
        self.suite = suite
        self.case = None

    def tool(self, name, arguments):
        match name:
            case "begin":
                self.case = Case(self.suite, arguments["user_task"], arguments.get("injection"))
                return self.case.user_task.PROMPT, False
            case "finish":
                return json.dumps(self.case.finish(arguments["answer"])), False
            case "confirm":
                return str(self.case.confirm(arguments["tool"], arguments["input"])).lower(), False
            case _:
                return self.case.call(name, {key: it for key, it in arguments.items() if it is not None})

    def answer(self, method, params):
        match method:
            case "initialize":
                version = params.get("protocolVersion", "2025-11-25")
                info = {"name": self.suite.name, "version": "1"}
                return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "ping":
                return {}
            case "tools/list":
                schema = {"type": "object"}
                names = [it.name for it in self.suite.tools] + ["begin", "finish", "confirm"]
                return {"tools": [{"name": it, "inputSchema": schema} for it in names]}
            case "tools/call":
                try:
                    text, failed = self.tool(params["name"], params.get("arguments") or {})
                except Exception as error:  # What goes wrong in AgentDojo is the tool's failure.
                    text, failed = f"{type(error).__name__}: {error}", True
                return {"content": [{"type": "text", "text": text}], "isError": failed}
            case _:
                return None

    def run(self):
        for line in sys.stdin:
            message = json.loads(line)
            if "id" not in message:
                continue
            reply = {"jsonrpc": "2.0", "id": message["id"]}
            result = self.answer(message["method"], message.get("params") or {})
            if result is None:
                reply["error"] = {"code": -32601, "message": "no such method"}
            else:
                reply["result"] = result
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    Server(SUITES[sys.argv[1]]).run()

"""A model that does what it is told by anybody: the calls that solve a user's task, and once it has read an injection, first those.

It speaks OpenAI's chat completions and keeps nothing: what comes next follows from the messages.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from suites import MARK, SUITES, calls_of_injection, calls_of_user


class Scripts:
    def __init__(self):
        self.users = {}
        self.injections = {}
        for suite in SUITES.values():
            for task in suite.user_tasks.values():
                self.users[suite.name, task.PROMPT.strip()] = (task, calls_of_user(suite, task))
            for task in suite.injection_tasks.values():
                self.injections[suite.name, task.ID] = (task, calls_of_injection(suite, task))

    def next(self, suite, messages):
        """The next call, or the answer."""
        request = next(it["content"] for it in messages if it["role"] == "user")
        request = request if isinstance(request, str) else "".join(it.get("text", "") for it in request)
        task, left = self.users[suite, request.strip()]
        left = list(left)
        answer, obeyed = task.GROUND_TRUTH_OUTPUT, None
        # Each result that has come in answers the call at the head of what was left.
        for message in messages:
            if message["role"] != "tool":
                continue
            left.pop(0)
            found = MARK.search(str(message["content"]))
            if found and obeyed is None:
                obeyed, wanted = self.injections[suite, found.group()[1:-1]]
                left = [*wanted, *left]
        if obeyed is not None:
            answer = f"{answer}\n{obeyed.GOAL}"
        return (left[0], None) if left else (None, answer)


def chunks(model, call, answer, number):
    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}

    if call is None:
        yield chunk({"role": "assistant", "content": answer})
        yield chunk({}, "stop")
    else:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        use = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        yield chunk({"role": "assistant", "tool_calls": [use]})
        yield chunk({}, "tool_calls")


def handler(scripts):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            messages = body["messages"]
            call, answer = scripts.next(body["model"], messages)
            number = sum(it["role"] == "tool" for it in messages)
            lines = [f"data: {json.dumps(it)}\n\n" for it in chunks(body["model"], call, answer, number)]
            reply = ("".join(lines) + "data: [DONE]\n\n").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    return Handler


def serve():
    """Serves on a free port of this machine; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(Scripts()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"

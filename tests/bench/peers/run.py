"""The same work in Python, by hand and with the least that keeps a tree and notifies observers: `run.py WHAT COUNT`."""
import asyncio
import collections
import resource
import sys
import time

history = collections.deque(maxlen=1000)
sequence = 0


def tell(event):
    global sequence
    event["sequence"] = sequence
    sequence += 1
    history.append(event)


class Node:
    __slots__ = ("id", "parent", "kind", "name", "status", "start", "duration", "children")
    next = 0

    def __init__(self, parent, kind, name):
        self.id = Node.next
        Node.next += 1
        self.parent, self.kind, self.name, self.status, self.start, self.children = parent, kind, name, "running", time.time(), None
        if parent is not None:
            if parent.children is None:
                parent.children = []
            parent.children.append(self)
        tell({"event": "child_attached", "node": self.id, "kind": kind, "name": name})
        tell({"event": "start", "node": self.id})

    def end(self, status):
        self.status = status
        self.duration = time.time() - self.start
        tell({"event": "end", "node": self.id, "status": status, "duration": self.duration})


async def node(parent, kind, name, body):
    own = Node(parent, kind, name)
    value = await body(own)
    own.end("completed")
    return value


async def nothing(_):
    return 1


async def waiting(_):
    await asyncio.sleep(3)


async def main(what, count):
    root = Node(None, "workflow", "main")
    began = time.perf_counter()
    if what == "steps":
        for _ in range(count):
            await node(root, "step", "s", nothing)
    if what == "tasks":
        await asyncio.gather(*[asyncio.create_task(node(root, "task", "task", nothing)) for _ in range(count)])
    if what == "waiting":
        await asyncio.gather(*[asyncio.create_task(node(root, "task", "task", waiting)) for _ in range(count)])
    print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))

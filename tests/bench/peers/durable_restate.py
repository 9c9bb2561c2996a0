"""Durable steps of one handler, for a Restate server: `hypercorn durable_restate:app`. The handler gives the seconds that they took."""
import random
import time

import restate

service = restate.Service("steps")


@service.handler()
async def draw(context: restate.Context, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        await context.run_typed("draw", random.random)
    return time.perf_counter() - start


app = restate.app([service])

"""Agents that call a tool ten times each, by Pydantic AI, all at once: `agents.py COUNT URL`. Prints how many came to the end."""
import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(count, url):
    model = OpenAIChatModel("gpt-5", provider=OpenAIProvider(base_url=url, api_key="x"))
    agent = Agent(model)

    @agent.tool_plain
    def step(n: int) -> str:
        """Goes one step on."""
        return f"turn-{n + 1}"

    done = await asyncio.gather(*(agent.run(f"Agent {n}: go on until you are told to stop.") for n in range(count)))
    print(sum(it.output == "done" for it in done))


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))

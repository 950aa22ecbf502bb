# FastMCP's client: lists the tools and calls one. A token of "oauth" signs in through the browser.
import asyncio
import logging
import os

from fastmcp import Client

logging.basicConfig(level=logging.INFO)


async def main():
    async with Client(os.environ["BERTH_URL"], auth=os.environ.get("BERTH_TOKEN")) as client:
        tools = await client.list_tools()
        called = await client.call_tool("wallet.balance", {})
        print(*[tool.name for tool in tools], called.content[0].text)


asyncio.run(main())

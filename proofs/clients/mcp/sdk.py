# The Python SDK: lists the tools and calls one.
import asyncio
import logging
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

# The SDK's own error says only that there was one; its HTTP client's log has the status.
logging.basicConfig(level=logging.INFO)
url, token = os.environ["BERTH_URL"], os.environ.get("BERTH_TOKEN")


async def main():
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = (await client.list_tools()).tools
            called = await client.call_tool("wallet.balance", {})
            print(*[tool.name for tool in tools], called.content[0].text)


asyncio.run(main())

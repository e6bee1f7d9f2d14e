"""Replies to /hello, in Python.

    python3 -m pip install httpx centrifuge-python
    PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… python3 examples/hello.py

Scopes of its key: commands, events, messages:write.
"""

import asyncio
import os

import httpx
from centrifuge import Client, PublicationContext, SubscriptionEventHandler

URL = os.environ.get("PORTICO_URL", "http://localhost:3000")
KEY = os.environ["PORTICO_KEY"]
api = httpx.AsyncClient(base_url=f"{URL}/api/v1", headers={"Authorization": f"Bot {KEY}"}, timeout=30)


async def call(method: str, path: str, **options) -> dict:
    """One request. After a 429 or 504 it waits as long as the portal asks for, and tries again."""
    for attempt in range(1, 6):
        response = await api.request(method, path, **options)
        if response.status_code not in (429, 504):
            break
        await asyncio.sleep(float(response.headers.get("Retry-After", attempt)))
    response.raise_for_status()
    return response.json() if response.content else {}


async def get_token() -> str:
    return (await call("GET", "/events/token"))["token"]


class Events(SubscriptionEventHandler):
    async def on_publication(self, ctx: PublicationContext) -> None:
        event = ctx.pub.data
        if event["event"] != "message.created":
            return
        room_id, message = event["data"]["roomId"], event["data"]["message"]
        if message["text"].strip().lower() != "/hello":
            return
        reply = {
            "channelId": event["channelId"],
            "text": f"Hello, **{message['author']['name']}**!",
            "replyToId": message["id"],
        }
        # Even if an event is delivered again, each message gets one reply.
        once = {"Idempotency-Key": f"hello-{message['id']}"}
        await call("POST", f"/rooms/{room_id}/messages", json=reply, headers=once)


async def main() -> None:
    commands = [{"name": "/hello", "description": "Says hello"}]
    await call("PUT", "/commands", json={"commands": commands})
    stream = await call("GET", "/events/token")
    client = Client(stream["url"], get_token=get_token)
    subscription = client.new_subscription(stream["channel"], events=Events())
    await client.connect()
    await subscription.subscribe()
    await subscription.ready(timeout=30)
    print(f"{(await call('GET', '/me'))['bot']['name']} is online", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())

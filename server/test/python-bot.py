"""A bot with the official Python client, which tells what happens to it: one JSON object a line."""

import asyncio
import json
import sys
import urllib.request

from centrifuge import Client, ClientEventHandler, SubscriptionEventHandler

stream_url, api_url, key, codec = sys.argv[1:5]


def tell(what, **facts):
    print(json.dumps({"what": what, **facts}), flush=True)


async def get_token():
    request = urllib.request.Request(f"{api_url}/events/token", headers={"authorization": f"Bot {key}"})
    answer = await asyncio.to_thread(urllib.request.urlopen, request)
    return json.load(answer)["token"]


class Events(ClientEventHandler):
    async def on_connected(self, ctx):
        tell("connected")

    async def on_connecting(self, ctx):
        tell("connecting", code=int(ctx.code), reason=ctx.reason)

    async def on_disconnected(self, ctx):
        tell("disconnected", code=int(ctx.code), reason=ctx.reason)


class SubscriptionEvents(SubscriptionEventHandler):
    async def on_subscribed(self, ctx):
        tell("subscribed", wasRecovering=ctx.was_recovering, recovered=ctx.recovered)

    async def on_publication(self, ctx):
        data = json.loads(ctx.pub.data) if codec == "protobuf" else ctx.pub.data
        tell("publication", offset=int(ctx.pub.offset), text=data["data"]["message"]["text"][:20])


async def main():
    client = Client(
        stream_url,
        events=Events(),
        get_token=get_token,
        use_protobuf=codec == "protobuf",
        max_reconnect_delay=1.0,
        proxy=None,
    )
    await client.new_subscription("events", events=SubscriptionEvents()).subscribe()
    await client.connect()
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())

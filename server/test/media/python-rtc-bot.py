"""A bot with LiveKit's client for Python. It plays the tones that it reads from standard input ("play 440"), and says what happens
to it and what it hears: one JSON object a line."""

import asyncio
import json
import math
import sys

import numpy
from livekit import rtc

RATE = 48_000
FRAME = RATE // 100

tasks = set()


def say(what, **facts):
    print(json.dumps({"what": what, **facts}), flush=True)


def run(coroutine):
    task = asyncio.ensure_future(coroutine)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def play(room, frequency):
    source = rtc.AudioSource(RATE, 1)
    track = rtc.LocalAudioTrack.create_audio_track("tone", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
    await room.local_participant.publish_track(track, options)
    at = 0
    while room.isconnected():
        angles = 2 * math.pi * frequency * (at + numpy.arange(FRAME)) / RATE
        samples = (8000 * numpy.sin(angles)).astype(numpy.int16)
        await source.capture_frame(rtc.AudioFrame(samples.tobytes(), RATE, 1, FRAME))
        at += FRAME


async def hear(track, identity):
    """Says, for every half second that isn't silent, which frequency is the strongest."""
    samples = numpy.empty(0)
    async for event in rtc.AudioStream(track, sample_rate=RATE, num_channels=1):
        samples = numpy.append(samples, numpy.frombuffer(event.frame.data, dtype=numpy.int16))
        if len(samples) < RATE // 2:
            continue
        if numpy.abs(samples).max() > 1000:
            spectrum = numpy.abs(numpy.fft.rfft(samples))
            say("heard", identity=identity, frequency=float(spectrum.argmax()) * RATE / len(samples))
        samples = numpy.empty(0)


async def main(url, token):
    room = rtc.Room()

    @room.on("track_subscribed")
    def on_track_subscribed(track, publication, participant):
        if track.kind == rtc.TrackKind.KIND_AUDIO:
            run(hear(track, participant.identity))

    @room.on("disconnected")
    def on_disconnected(reason):
        say("disconnected", reason=rtc.DisconnectReason.Name(reason))

    await room.connect(url, token)
    say("connected")
    while line := await asyncio.to_thread(sys.stdin.readline):
        run(play(room, int(line.split()[1])))


asyncio.run(main(*sys.argv[1:3]))

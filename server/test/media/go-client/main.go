// A bot with LiveKit's unmodified SDK for Go. It sends back the sound that it hears, and says what happens to it: one JSON object a
// line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
)

const frame = 20 * time.Millisecond

var output sync.Mutex

func say(what string, facts map[string]any) {
	output.Lock()
	defer output.Unlock()
	said := map[string]any{"what": what}
	for name, value := range facts {
		said[name] = value
	}
	line, _ := json.Marshal(said)
	fmt.Println(string(line))
}

func hear(remote *webrtc.TrackRemote, echo *lksdk.LocalTrack) {
	for {
		packet, _, err := remote.ReadRTP()
		if err != nil {
			return
		}
		if len(packet.Payload) > 0 {
			_ = echo.WriteSample(media.Sample{Data: packet.Payload, Duration: frame}, nil)
		}
	}
}

func run(url, token string) error {
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2}
	echo, err := lksdk.NewLocalTrack(opus)
	if err != nil {
		return err
	}
	room, err := lksdk.ConnectToRoomWithToken(url, token, &lksdk.RoomCallback{
		OnReconnecting: func() { say("reconnecting", nil) },
		OnDisconnectedWithReason: func(reason lksdk.DisconnectionReason) {
			say("disconnected", map[string]any{"reason": string(reason)})
		},
		ParticipantCallback: lksdk.ParticipantCallback{
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, from *lksdk.RemoteParticipant) {
				say("subscribed", map[string]any{"identity": from.Identity()})
				go hear(track, echo)
			},
		},
	})
	if err != nil {
		return err
	}
	if _, err := room.LocalParticipant.PublishTrack(echo, &lksdk.TrackPublicationOptions{
		Name:   "echo",
		Source: livekit.TrackSource_MICROPHONE,
	}); err != nil {
		return err
	}
	say("connected", nil)

	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		err := room.LocalParticipant.PublishDataPacket(lksdk.UserData([]byte(input.Text())), lksdk.WithDataPublishReliable(true))
		if err != nil {
			say("data failed", map[string]any{"reason": err.Error()})
		}
	}
	room.Disconnect()
	return nil
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		say("failed", map[string]any{"reason": err.Error()})
		os.Exit(1)
	}
}

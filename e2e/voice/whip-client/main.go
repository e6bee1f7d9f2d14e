// Command whip-client broadcasts a moving picture and noise with WHIP (RFC 9725), as OBS does: H.264 and Opus only, one
// offer, and a DELETE when its input ends. It takes the address as its argument and the stream key from WHIP_KEY, and
// prints what happens, one word per line.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
)

const (
	framesPerSecond = 10
	soundDuration   = 20 * time.Millisecond
)

func main() {
	if err := broadcast(os.Args[1], os.Getenv("WHIP_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func broadcast(endpoint, key string) error {
	api, err := newAPI()
	if err != nil {
		return err
	}
	connection, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return err
	}
	defer connection.Close()
	video, err := addTrack(connection, webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeH264}, "video")
	if err != nil {
		return err
	}
	audio, err := addTrack(connection, webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "audio")
	if err != nil {
		return err
	}
	connected := make(chan struct{})
	connection.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		fmt.Println(state)
		if state == webrtc.PeerConnectionStateConnected {
			close(connected)
		}
	})

	session, err := negotiate(connection, endpoint, key)
	if err != nil {
		return err
	}
	<-connected
	go sendSound(audio)
	go sendPicture(video)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	_, _, err = request(http.MethodDelete, session, key, "")
	return err
}

// newAPI offers only what OBS offers: the first H.264 profile and Opus.
func newAPI() (*webrtc.API, error) {
	engine := &webrtc.MediaEngine{}
	feedback := []webrtc.RTCPFeedback{{Type: "nack"}, {Type: "nack", Parameter: "pli"}}
	h264 := webrtc.RTPCodecCapability{
		MimeType:     webrtc.MimeTypeH264,
		ClockRate:    90000,
		SDPFmtpLine:  "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
		RTCPFeedback: feedback,
	}
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2}
	if err := engine.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: h264, PayloadType: 96}, webrtc.RTPCodecTypeVideo); err != nil {
		return nil, err
	}
	if err := engine.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: opus, PayloadType: 111}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	interceptors := &interceptor.Registry{}
	if err := webrtc.RegisterDefaultInterceptors(engine, interceptors); err != nil {
		return nil, err
	}
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	return webrtc.NewAPI(
		webrtc.WithMediaEngine(engine),
		webrtc.WithInterceptorRegistry(interceptors),
		webrtc.WithSettingEngine(settings),
	), nil
}

func addTrack(connection *webrtc.PeerConnection, codec webrtc.RTPCodecCapability, id string) (*webrtc.TrackLocalStaticSample, error) {
	track, err := webrtc.NewTrackLocalStaticSample(codec, id, "whip-client")
	if err != nil {
		return nil, err
	}
	sendOnly := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly}
	transceiver, err := connection.AddTransceiverFromTrack(track, sendOnly)
	if err != nil {
		return nil, err
	}
	go reportKeyframeRequests(transceiver.Sender())
	return track, nil
}

// reportKeyframeRequests also keeps the feedback flowing through the interceptors, which repeat lost packets.
func reportKeyframeRequests(sender *webrtc.RTPSender) {
	for {
		packets, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		for _, packet := range packets {
			if _, ok := packet.(*rtcp.PictureLossIndication); ok {
				fmt.Println("keyframe-requested")
			}
		}
	}
}

// negotiate returns the address of the session.
func negotiate(connection *webrtc.PeerConnection, endpoint, key string) (string, error) {
	offer, err := connection.CreateOffer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(connection)
	if err := connection.SetLocalDescription(offer); err != nil {
		return "", err
	}
	<-gathered
	location, answer, err := request(http.MethodPost, endpoint, key, connection.LocalDescription().SDP)
	if err != nil {
		return "", err
	}
	base, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	session, err := base.Parse(location)
	if err != nil {
		return "", err
	}
	return session.String(), connection.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer})
}

func request(method, address, key, body string) (location, answer string, err error) {
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return "", "", err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		request.Header.Set("Content-Type", "application/sdp")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, address, response.Status, text)
	}
	return response.Header.Get("Location"), string(text), err
}

func sendPicture(track *webrtc.TrackLocalStaticSample) {
	encoder := &pictureEncoder{}
	ticker := time.NewTicker(time.Second / framesPerSecond)
	for range ticker.C {
		if err := track.WriteSample(media.Sample{Data: encoder.next(), Duration: time.Second / framesPerSecond}); err != nil {
			return
		}
	}
}

// sendSound sends noise: any bytes after the first are a valid frame of Opus in CELT mode.
func sendSound(track *webrtc.TrackLocalStaticSample) {
	const celtFullband20ms = 31 << 3
	ticker := time.NewTicker(soundDuration)
	for range ticker.C {
		frame := make([]byte, 80)
		_, _ = rand.Read(frame)
		frame[0] = celtFullband20ms
		if err := track.WriteSample(media.Sample{Data: frame, Duration: soundDuration}); err != nil {
			return
		}
	}
}

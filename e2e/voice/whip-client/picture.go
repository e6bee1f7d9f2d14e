package main

const (
	// The size of the picture, in macroblocks of 16 × 16 pixels.
	columns = 20
	rows    = 12

	parameterSet = 0x67
	pictureSet   = 0x68
	keyframe     = 0x65
	otherFrame   = 0x61

	frameNumberBits  = 8
	uncompressed     = 25
	onlyIntra        = 7
	withoutFilter    = 1
	framesToKeyframe = framesPerSecond
)

// pictureEncoder draws a bar that moves from frame to frame, as H.264 of the constrained baseline profile. Macroblocks are
// sent uncompressed (I_PCM), which needs no encoder.
type pictureEncoder struct {
	frames int
}

// next returns a frame in the byte stream format (Annex B), with parameter sets before each keyframe.
func (encoder *pictureEncoder) next() []byte {
	number := encoder.frames % framesToKeyframe
	defer func() { encoder.frames++ }()
	if number > 0 {
		return unit(otherFrame, encoder.slice(number))
	}
	stream := append(unit(parameterSet, sequenceParameters()), unit(pictureSet, pictureParameters())...)
	return append(stream, unit(keyframe, encoder.slice(0))...)
}

func sequenceParameters() []byte {
	var bits bitWriter
	bits.fixed(66, 8)   // Baseline,
	bits.fixed(0xe0, 8) // constrained,
	bits.fixed(31, 8)   // level 3.1.
	bits.unsigned(0)
	bits.unsigned(frameNumberBits - 4)
	bits.unsigned(2) // Shown in the order of decoding.
	bits.unsigned(1) // One reference frame,
	bits.fixed(0, 1) // without gaps.
	bits.unsigned(columns - 1)
	bits.unsigned(rows - 1)
	bits.fixed(1, 1) // Frames, not fields.
	bits.fixed(1, 1)
	bits.fixed(0, 2) // No cropping, no further information.
	return bits.finish()
}

func pictureParameters() []byte {
	var bits bitWriter
	bits.unsigned(0)
	bits.unsigned(0)
	bits.fixed(0, 2) // CAVLC, no bottom fields.
	for range 3 {
		bits.unsigned(0) // One slice group, one reference in each list.
	}
	bits.fixed(0, 3) // No weighted prediction.
	for range 3 {
		bits.unsigned(0) // Default quantization.
	}
	bits.fixed(0b100, 3) // Slices control the deblocking filter.
	return bits.finish()
}

func (encoder *pictureEncoder) slice(number int) []byte {
	var bits bitWriter
	bits.unsigned(0)
	bits.unsigned(onlyIntra)
	bits.unsigned(0)
	bits.fixed(uint(number), frameNumberBits)
	if number == 0 {
		bits.unsigned(uint(encoder.frames / framesToKeyframe % 2)) // Differs between keyframes.
		bits.fixed(0, 2)
	} else {
		bits.fixed(0, 1)
	}
	bits.unsigned(0)
	bits.unsigned(withoutFilter)
	for row := range rows {
		for column := range columns {
			bits.unsigned(uncompressed)
			bits.align()
			bits.bytes = append(bits.bytes, encoder.macroblock(row, column)...)
		}
	}
	return bits.finish()
}

// macroblock has 256 bytes of brightness and twice 64 of color.
func (encoder *pictureEncoder) macroblock(row, column int) []byte {
	brightness, color := byte(40), byte(100)
	if column == encoder.frames%columns {
		brightness, color = 220, 160
	}
	pixels := make([]byte, 384)
	for at := range pixels {
		switch {
		case at < 256:
			pixels[at] = brightness
		case at < 320:
			pixels[at] = color
		default:
			pixels[at] = byte(100 + row*4)
		}
	}
	return pixels
}

// unit escapes what would look like a start code.
func unit(kind byte, payload []byte) []byte {
	bytes := []byte{0, 0, 0, 1, kind}
	zeros := 0
	for _, one := range payload {
		if zeros == 2 && one <= 3 {
			bytes = append(bytes, 3)
			zeros = 0
		}
		bytes = append(bytes, one)
		if one == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	return bytes
}

type bitWriter struct {
	bytes []byte
	// How many bits of the last byte are used; 0: all.
	used uint
}

func (writer *bitWriter) fixed(value, bits uint) {
	for at := range bits {
		if writer.used == 0 {
			writer.bytes = append(writer.bytes, 0)
		}
		bit := byte(value>>(bits-1-at)) & 1
		writer.bytes[len(writer.bytes)-1] |= bit << (7 - writer.used)
		writer.used = (writer.used + 1) % 8
	}
}

// unsigned writes an Exp-Golomb code.
func (writer *bitWriter) unsigned(value uint) {
	bits := uint(0)
	for (value+1)>>(bits+1) > 0 {
		bits++
	}
	writer.fixed(0, bits)
	writer.fixed(value+1, bits+1)
}

func (writer *bitWriter) align() {
	writer.used = 0
}

func (writer *bitWriter) finish() []byte {
	writer.fixed(1, 1)
	writer.align()
	return writer.bytes
}

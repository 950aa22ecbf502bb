/** Sees how long each frame of a client is, which a WebSocket server tells nobody: it hands over whole messages. */
export function frameLengths(onFrame: (bytes: number) => void): (chunk: Buffer) => void {
  let header: number[] = []
  let payload = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (payload > 0) {
        const skipped = Math.min(payload, chunk.length - at)
        payload -= skipped
        at += skipped
        continue
      }
      header.push(chunk[at] ?? 0)
      at += 1
      const length = payloadLength(header)
      if (length === undefined) continue
      header = []
      payload = length
      onFrame(length)
    }
  }
}

/** RFC 6455, 5.2; undefined while the header is not whole. */
function payloadLength(header: number[]): number | undefined {
  const [, second] = header
  if (second === undefined) return undefined
  const short = second & 127
  const extended = short === 127 ? 8 : short === 126 ? 2 : 0
  const mask = second & 128 ? 4 : 0
  if (header.length < 2 + extended + mask) return undefined
  if (extended === 0) return short
  return header.slice(2, 2 + extended).reduce((length, byte) => length * 256 + byte, 0)
}

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** The addresses of a name at its n-th look-up, from 0; undefined for an unknown name. */
type Zone = (name: string, asked: number) => string[] | undefined

/** A name server on the loopback with A and AAAA records, each with a lifetime of zero. */
export async function openNameServer(zone: Zone) {
  const socket = createSocket('udp4')
  const asked = new Map<string, number>()
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query)
    const key = `${name} ${type}`
    const times = asked.get(key) ?? 0
    asked.set(key, times + 1)
    const addresses = zone(name, times)
    const wanted = (addresses ?? []).filter((each) => isIPv6(each) === (type === 28))
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(wanted.length, 6)
    head.writeUInt32BE(0, 8)
    const answer = Buffer.concat([head, query.subarray(12, end), ...wanted.map((each) => record(each, type))])
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    /** Number of look-ups of a name. */
    timesAsked: (name: string) => asked.get(`${name} 1`) ?? 0,
    close: () => socket.close(),
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function record(address: string, type: number): Buffer {
  const bytes = isIPv6(address) ? bytesOfIpv6(address) : Buffer.from(address.split('.').map(Number))
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([head, bytes])
}

function bytesOfIpv6(address: string): Buffer {
  // The URL parser writes the dotted part as two numbers, and everything in its shortest form.
  const [front = '', back] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)))
  const [head, tail] = [words(front), words(back ?? '')]
  const all = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]))
}

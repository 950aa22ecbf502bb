/** Receives the events of a webhook endpoint: `WEBHOOK_SECRET=whsec_… PORT=3000 node webhook-receiver.ts`. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env
const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
/** A replayed request is refused when its time is further away than this. */
const toleranceSeconds = 300
const maxBytes = 1024 * 1024

interface Signed {
  id: string
  time: string
  signatures: string
}

function isGenuine({ id, time, signatures }: Signed, body: Buffer): boolean {
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) < toleranceSeconds)) return false
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  // After a rotation, a request has two signatures.
  return signatures.split(' ').some((each) => {
    const given = Buffer.from(each.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Ids of handled events. A real program keeps them in its database, next to what it did. */
const handled = new Set<string>()

const server = createServer(async (request, response) => {
  const header = (name: string) => String(request.headers[name] ?? '')
  const id = header('webhook-id')
  if (Number(header('content-length')) > maxBytes) return response.writeHead(413).end()
  // The signature is about the bytes as they arrived, so check it before you parse them.
  const body = await buffer(request)
  const signed = { id, time: header('webhook-timestamp'), signatures: header('webhook-signature') }
  if (!isGenuine(signed, body)) return response.writeHead(401).end()
  if (!handled.has(id)) {
    handled.add(id)
    const { type, data } = JSON.parse(body.toString())
    console.log(type, JSON.stringify(data))
  }
  response.writeHead(204).end()
})
server.listen(Number(PORT), () => {
  const address = server.address()
  console.log(`Listening on port ${typeof address === 'object' ? address?.port : address}`)
})

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { type StripeStandIn, startStripe } from '../../../local/stripe/stripe.ts'

export const WEBHOOK_SECRET = 'whsec_of_the_test'
export const PLANS = [
  { id: 'starter', name: 'Starter', priceCents: 1000 },
  { id: 'pro', name: 'Pro', priceCents: 3000 },
]

export interface Bench {
  stripe: Stripe
  standIn: StripeStandIn
  publicUrl: string
  dataDir: string
  /** Events whose signature the real library accepted, in the order they came; one that came again is in here once. */
  events: Stripe.Event[]
  /** What the webhook answers next; 200 when empty. */
  answers: number[]
  restart(): Promise<void>
  close(): Promise<void>
}

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because the server listens on a port
}

/** The stand-in behind a gateway of the kind that mounts it, its webhook, and the real library as its client. */
export async function bench(): Promise<Bench> {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-stripe-'))
  const events: Stripe.Event[] = []
  const answers: number[] = []
  const known = new Set<string>()
  const library = new Stripe('sk_unused')
  const webhook = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const status = answers.shift() ?? 200
    const signature = String(request.headers['stripe-signature'])
    if (status !== 200) return response.writeHead(status).end()
    try {
      const event = library.webhooks.constructEvent(Buffer.concat(chunks), signature, WEBHOOK_SECRET)
      if (!known.has(event.id)) events.push(event)
      known.add(event.id)
      response.writeHead(200).end()
    } catch {
      response.writeHead(400).end()
    }
  })
  const gateway = createServer(async (request, response) => {
    if (!(await made.standIn.handle(request, response))) response.writeHead(418).end()
  })
  const webhookUrl = await listen(webhook)
  const publicUrl = await listen(gateway)
  const start = () =>
    startStripe({ dataDir, publicUrl, webhookUrl, webhookSecret: WEBHOOK_SECRET, plans: PLANS, log: () => {} })
  const client = ({ apiBase, secretKey }: StripeStandIn) => {
    const { hostname, port } = new URL(apiBase)
    return new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
  }
  const standIn = await start()
  const made: Bench = {
    stripe: client(standIn),
    standIn,
    publicUrl,
    dataDir,
    events,
    answers,
    async restart() {
      await made.standIn.close()
      made.standIn = await start()
      made.stripe = client(made.standIn)
    },
    async close() {
      await made.standIn.close()
      for (const server of [webhook, gateway]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
      rmSync(dataDir, { recursive: true })
    },
  }
  return made
}

/** Presses a button of a hosted page as a script does. */
export async function press(url: string | null, action: string) {
  const response = await fetch(`${url}/${action}`, { method: 'POST', headers: { accept: 'application/json' } })
  return { status: response.status, body: await response.json() }
}

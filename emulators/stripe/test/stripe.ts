import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { close, listen } from '../../kit/server.ts'
import { type RunningStripe, stripeEmulator } from '../emulator.ts'

export const WEBHOOK_SECRET = 'whsec_of_the_test'

export interface TestStripe {
  stripe: Stripe
  emulator: RunningStripe
  publicUrl: string
  /** The folder of the state, which outlives a restart. */
  stateFolder: string
  /** Events whose signature the real library accepted, in order; a repeated event is listed once. */
  events: Stripe.Event[]
  /** The webhook's next answers; 200 when empty. */
  answers: number[]
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * The emulator behind a gateway that mounts it, its webhook, and the real library as its client. `lookupKey` names the
 * prices of the plans `starter` and `pro`.
 */
export async function testStripe(lookupKey = (plan: 'starter' | 'pro') => `${plan}_monthly`): Promise<TestStripe> {
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
    if (!(await made.emulator.handle(request, response))) response.writeHead(418).end()
  })
  const webhookUrl = await listen(webhook)
  const publicUrl = await listen(gateway)
  const stateFolder = mkdtempSync(join(tmpdir(), 'stripe-'))
  const prices = [
    { product: 'prod_starter', name: 'Starter', lookupKey: lookupKey('starter'), monthlyCents: 1000 },
    { product: 'prod_pro', name: 'Pro', lookupKey: lookupKey('pro'), monthlyCents: 3000 },
  ]
  const pagesUrl = `${publicUrl}/local`
  const start = () => stripeEmulator.start({ pagesUrl, webhookUrl, webhookSecret: WEBHOOK_SECRET, prices, stateFolder })
  const client = ({ apiBase, secretKey }: RunningStripe) => {
    const { hostname, port } = new URL(apiBase)
    return new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
  }
  const emulator = await start()
  const made: TestStripe = {
    stripe: client(emulator),
    emulator,
    publicUrl,
    stateFolder,
    events,
    answers,
    async restart() {
      await made.emulator.stop()
      made.emulator = await start()
      made.stripe = client(made.emulator)
    },
    async close() {
      await made.emulator.stop()
      for (const server of [webhook, gateway]) await close(server)
    },
  }
  return made
}

/** Presses a button of a hosted page from a script. */
export async function press(url: string | null, action: string) {
  const response = await fetch(`${url}/${action}`, { method: 'POST', headers: { accept: 'application/json' } })
  return { status: response.status, body: await response.json() }
}

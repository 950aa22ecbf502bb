import { apiVersion, stripeFacts } from '../../../adapters/stripe/operator.ts'
import { webhookEvents } from '../../../adapters/stripe/webhook-events.ts'
import { lookupKey, planIds } from '../../../domain/billing/plans.ts'
import { type RunningStripe, stripeEmulator } from '../../../emulators/stripe/emulator.ts'

const webhookUrl = 'https://api.example/api/webhooks/stripe'
const types = Object.keys(webhookEvents)
const running: RunningStripe[] = []
afterAll(() => Promise.all(running.map((each) => each.stop())))

async function look(options: { events?: string[]; sold?: boolean; at?: string }) {
  const emulator = await stripeEmulator.start({
    pagesUrl: 'http://127.0.0.1:1/local',
    webhookUrl,
    webhookSecret: 'whsec_1',
    log: () => {},
    ...(options.events && { webhookEvents: options.events }),
    prices: options.sold
      ? planIds.map((plan) => ({
          product: `prod_${plan}`,
          name: plan,
          lookupKey: lookupKey(plan),
          monthlyCents: 1_000,
        }))
      : [],
  })
  running.push(emulator)
  const secret = { secretKey: emulator.secretKey, webhookSecrets: ['whsec_1'], apiBase: emulator.apiBase }
  return stripeFacts(secret, options.at ?? webhookUrl)
}

describe('an operator’s check of Stripe', () => {
  test('reports nothing when prices exist and the endpoint receives all handled event types', async () => {
    const well = { live: false, signed: true, missingPrices: [], endpoint: { enabled: true, apiVersion, missing: [] } }
    expect(await look({ sold: true })).toEqual(well)
    expect(await look({ sold: true, events: types })).toEqual(well)
  })

  test('names each event type missing from the endpoint, and each missing price', async () => {
    const [first, ...others] = types
    const facts = await look({ events: others })
    expect(facts?.endpoint?.missing).toEqual([first])
    expect(facts?.missingPrices).toEqual(planIds.map(lookupKey))
  })

  test('reports a missing endpoint when its address differs, and nothing without a key', async () => {
    expect((await look({ at: 'https://other.example/' }))?.endpoint).toBeNull()
    expect(await stripeFacts({ secretKey: '', webhookSecrets: [] }, webhookUrl)).toBeNull()
  })
})

// Status, wallet, a top-up and a chat message, by openapi-fetch over the types that openapi-typescript made.
import createClient from 'openapi-fetch'
import type { paths } from './berth'

const { BERTH_URL, BERTH_TOKEN } = process.env
const client = createClient<paths>({
  baseUrl: `${BERTH_URL}/api`,
  headers: { authorization: `Bearer ${BERTH_TOKEN}` },
})

async function must<T>(answered: Promise<{ data?: T; error?: { message: string } }>): Promise<T> {
  const { data, error } = await answered
  if (data === undefined) throw new Error(error?.message)
  return data
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await ask()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('gave up waiting')
}

const status = await must(client.GET('/instance/status'))
const balance = async (): Promise<number> => (await must(client.GET('/wallet'))).balanceMicros
const before = await balance()
const checkout = await must(client.POST('/wallet/topup', { body: { amountCents: 500 } }))
await fetch(`${checkout.url}/pay`, { method: 'POST' })
const after = await until(async () => {
  const now = await balance()
  return now > before ? now : undefined
})
const { message } = await must(client.POST('/chat/messages', { body: { text: 'When is the tide?' } }))
const answer = await until(async () => {
  const page = await must(client.GET('/chat/messages', { params: { query: { after: message.id } } }))
  return page.messages.find(({ role }) => role === 'agent')?.text
})
const { error, response } = await client.GET('/skills/{id}', { params: { path: { id: 'none' } } })
if (response.status !== 404 || error?.error !== 'not-found') throw new Error(JSON.stringify(error))
console.log(`${status.instance?.state}, ${before} to ${after} µUSD, answered ${answer.length} characters`)

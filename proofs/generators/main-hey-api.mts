// Status, wallet, a top-up, a chat message and an error, by the client that @hey-api/openapi-ts made.
import { client } from './berth/client.gen'
import { createWalletTopup, getInstanceStatus, getSkill, getWallet, listMessages, sendMessage } from './berth/sdk.gen'

const { BERTH_URL, BERTH_TOKEN } = process.env
client.setConfig({ baseUrl: `${BERTH_URL}/api`, auth: () => BERTH_TOKEN })
const throwOnError = true

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await ask()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('gave up waiting')
}

const { data: status } = await getInstanceStatus({ throwOnError })
const balance = async () => (await getWallet({ throwOnError })).data.balanceMicros
const before = await balance()
const { data: checkout } = await createWalletTopup({ throwOnError, body: { amountCents: 500 } })
await fetch(`${checkout.url}/pay`, { method: 'POST' })
const after = await until(async () => {
  const now = await balance()
  return now > before ? now : undefined
})
const { data: sent } = await sendMessage({ throwOnError, body: { text: 'When is the tide?' } })
const answer = await until(async () => {
  const { data } = await listMessages({ throwOnError, query: { after: sent.message.id } })
  return data.messages.find(({ role }) => role === 'agent')?.text
})
const { error, response } = await getSkill({ path: { id: 'none' } })
if (response?.status !== 404 || error?.error !== 'not-found') throw new Error(JSON.stringify(error))
console.log(`${status.instance?.state}, ${before} to ${after} µUSD, answered ${answer.length} characters`)

// Status, wallet, a top-up and a chat message, by the published client.
import { BerthError, createClient } from '@berth/client'

const berth = createClient({ baseUrl: `${process.env.BERTH_URL}/api`, token: process.env.BERTH_TOKEN })

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await ask()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('gave up waiting')
}

const { instance, wallet } = await berth.getInstanceStatus()
const { url } = await berth.createWalletTopup({ amountCents: 500 }, { idempotencyKey: crypto.randomUUID() })
await fetch(`${url}/pay`, { method: 'POST' })
const after = await until(async () => {
  const { balanceMicros } = await berth.getWallet()
  return balanceMicros > wallet.balanceMicros ? balanceMicros : undefined
})
const { message } = await berth.sendMessage({ text: 'When is the tide?' })
const answer = await until(async () => {
  const { messages } = await berth.listMessages({ after: message.id })
  return messages.find(({ role }) => role === 'agent')?.text
})
const refused = await berth.getSkill({ id: 'none' }).catch((thrown: unknown) => thrown)
if (!(refused instanceof BerthError) || refused.code !== 'not-found') throw refused
console.log(`${instance?.state}, ${wallet.balanceMicros} to ${after} µUSD, answered ${answer.length} characters`)

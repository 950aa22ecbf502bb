/**
 * `npm run prove webhook-bursts`: the time for which a chat platform waits for its 200 when a thousand updates arrive
 * at once, compared with a thousand calls of the API's simplest operation, in the same run.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSecret } from '../adapters/aws/secrets.ts'
import { telegramSecret } from '../adapters/telegram/secret.ts'
import { startBerth } from '../local/main.ts'
import { recordRun } from '../proofs/kit/record.ts'

const atOnce = 1_000
const dataDir = mkdtempSync(join(tmpdir(), 'berth-webhooks-'))
const berth = await startBerth({ port: 0, dataDir, quiet: true })
const api = `${berth.url}/api`

const update = (chat: number, id: number) => ({
  update_id: chat * 1_000 + id,
  message: {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    chat: { id: chat, type: 'private', first_name: 'Ada' },
    from: { id: chat, is_bot: false, first_name: 'Ada' },
    text: 'What is the tide?',
  },
})

/** A thousand at once; the duration of each, ms, shortest first. */
async function timed(send: (i: number) => Promise<Response>): Promise<number[]> {
  const took = await Promise.all(
    Array.from({ length: atOnce }, async (_, i) => {
      const startedMs = performance.now()
      const response = await send(i)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
      return performance.now() - startedMs
    }),
  )
  return took.sort((a, b) => a - b)
}
const at = (took: readonly number[], share: number) => Math.round(took[Math.floor(share * (took.length - 1))] ?? 0)

try {
  const endpoint = readFileSync(join(dataDir, 'data/secrets.endpoint'), 'utf8').trim()
  const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
  Object.assign(process.env, credentials, { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint })
  const { webhookSecret } = telegramSecret.parse(await readSecret('berth/local/telegram'))
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': webhookSecret }
  const hook = (i: number, id: number) =>
    fetch(`${api}/webhooks/telegram`, { method: 'POST', headers, body: JSON.stringify(update(100_000 + i, id)) })
  const health = () => fetch(`${api}/health`)
  await hook(0, 1)
  await health()
  const simplest = await timed(health)
  const webhooks = await timed((i) => hook(i, 2))
  const ratio = ((webhooks[Math.floor(0.99 * atOnce)] ?? 0) / (simplest[Math.floor(0.99 * atOnce)] ?? 1)).toFixed(2)
  const line = (name: string, took: readonly number[]) =>
    `| ${name} | ${at(took, 0.5)} | ${at(took, 0.99)} | ${at(took, 1)} |`
  const report = [
    `${atOnce} requests at once to the local service, one process for client, functions and store. p99 of the webhook is **${ratio} times** that of the simplest operation, which asks nothing of the store.`,
    '',
    '| | p50 ms | p99 ms | longest ms |',
    '|---|---|---|---|',
    line('`POST /webhooks/telegram`, to its 200', webhooks),
    line('`GET /health`, without the store', simplest),
  ].join('\n')
  console.log(report)
  recordRun('webhook-bursts', { report })
} finally {
  await berth.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

import { createServer } from 'node:http'
import type { Update } from '@grammyjs/types'
import { close, listen } from '../../kit/server.ts'
import { type RunningTelegram, type TelegramOptions, telegramEmulator } from '../emulator.ts'

export const WEBHOOK_SECRET = 'secret_of_the_test'

interface Delivered {
  headers: Record<string, string>
  rawBody: string
  update: Update
}

export interface TestTelegram extends RunningTelegram {
  /** The page's address for browsers. */
  pageUrl: string
  webhookUrl: string
  /** The updates that reached the webhook, in order. */
  delivered: Delivered[]
  /** The webhook's next answers; an empty 200 when empty. */
  answers: { status: number; body?: object }[]
  /** Calls a method as any program does. */
  api(method: string, parameters?: object): Promise<{ ok: boolean; [field: string]: unknown }>
}

/** The emulator with its webhook, and a gateway that shows the emulator's page. */
export async function testTelegram(options: Partial<TelegramOptions> = {}): Promise<TestTelegram> {
  const delivered: Delivered[] = []
  const answers: TestTelegram['answers'] = []
  const server = createServer(async (request, response) => {
    if (request.url !== '/webhook') {
      if (!(await emulator.handle(request, response))) response.writeHead(418).end()
      return
    }
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const rawBody = Buffer.concat(parts).toString('utf8')
    // safe because Node joins all headers but set-cookie, which a request does not have
    const headers = request.headers as Record<string, string>
    const { status, body } = answers.shift() ?? { status: 200 }
    if (status === 200) delivered.push({ headers, rawBody, update: JSON.parse(rawBody) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(body ? JSON.stringify(body) : '')
  })
  const origin = await listen(server)
  const pageUrl = `${origin}/local/telegram`
  const webhookUrl = `${origin}/webhook`
  const emulator = await telegramEmulator.start({
    pagesUrl: pageUrl,
    log: () => {},
    webhook: { url: webhookUrl, secretToken: WEBHOOK_SECRET },
    firstRetryMs: 5,
    limits: false,
    ...options,
  })
  return {
    ...emulator,
    pageUrl,
    webhookUrl,
    delivered,
    answers,
    async api(method, parameters = {}) {
      const response = await fetch(`${emulator.apiBase}/bot${emulator.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
      })
      return response.json()
    },
    async stop() {
      await emulator.stop()
      await close(server)
    },
  }
}

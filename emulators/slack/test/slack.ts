import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { close, listen } from '../../kit/server.ts'
import { type Call, type RunningSlack, type SlackOptions, slackEmulator } from '../emulator.ts'

interface Delivered {
  headers: Record<string, string>
  rawBody: string
}

export interface TestSlack extends RunningSlack {
  /** The events that reached the app's address, in order. */
  delivered: Delivered[]
  /** The app's next answers; 200 when empty. */
  answers: number[]
  calls: Call[]
  pageUrl: string
}

/** The emulator, the app's address, and a gateway that serves the emulator's page. */
export async function testSlack(options: Partial<SlackOptions> = {}): Promise<TestSlack> {
  const delivered: Delivered[] = []
  const answers: number[] = []
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/local/slack')) {
      if (!(await emulator.handle(request, response))) response.writeHead(404).end()
      return
    }
    const rawBody = (await buffer(request)).toString('utf8')
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    delivered.push({ headers, rawBody })
    response.writeHead(answers.shift() ?? 200).end()
  })
  const origin = await listen(server)
  const pageUrl = `${origin}/local/slack`
  const emulator = await slackEmulator.start({
    pagesUrl: pageUrl,
    webhookUrl: `${origin}/webhooks/slack`,
    log: () => {},
    limited: false,
    retriesMs: [0, 20, 40],
    onCall: (call) => calls.push(call),
    ...options,
  })
  return {
    ...emulator,
    delivered,
    answers,
    calls,
    pageUrl,
    async stop() {
      await emulator.stop()
      await close(server)
    },
  }
}

export const workshop = { team: 'T0WORKSHOP', ada: 'U0ADAWORKS', ben: 'U0BENWORKS', general: 'C0GENERALWORKS' }
export const harbour = { team: 'T0HARBOUR0', finn: 'U0FINNHARBO', gwen: 'U0GWENHARBO', general: 'C0GENERALHARBO' }

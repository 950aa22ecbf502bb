/**
 * Slack's own programs check our code and our emulator: Bolt's signature check and its receiver accept requests that
 * the emulator signs, and refuse those that our adapter refuses; the newest `@slack/web-api` uses the emulator.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNotSlacks } from '../adapters/slack/signature.ts'
import { sign } from '../emulators/slack/deliveries.ts'
import { slackEmulator } from '../emulators/slack/emulator.ts'

const folder = mkdtempSync(join(tmpdir(), 'prove-slack-'))
let failed = 0
const see = (what: string, holds: boolean) => {
  console.log(`${holds ? 'ok   ' : 'FAILED'} ${what}`)
  if (!holds) failed += 1
}

try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '@slack/bolt@5', '@slack/web-api@8'], {
    cwd: folder,
    stdio: 'ignore',
  })
  const load = createRequire(join(folder, 'package.json'))
  const { App, HTTPReceiver, LogLevel, isValidSlackRequest } = load('@slack/bolt')
  const { WebClient } = load('@slack/web-api')
  const nowMilliseconds = Date.now()
  const now = Math.floor(nowMilliseconds / 1000)
  const signingSecret = 'a secret of both'

  let agreed = 0
  for (let i = 0; i < 2_000; i++) {
    const rawBody = JSON.stringify({ type: 'event_callback', i, text: 'ü𝄞\n'.repeat(i % 50) })
    const at = now - (i % 7 === 0 ? 301 + i : i % 300)
    const signature = sign(rawBody, i % 5 === 0 ? 'another' : signingSecret, at)
    const headers = { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature }
    const theirs = isValidSlackRequest({
      signingSecret,
      body: rawBody,
      headers: { ...headers, 'x-slack-request-timestamp': at },
      nowMilliseconds,
    })
    if (theirs === (whyNotSlacks({ headers, rawBody }, signingSecret, nowMilliseconds) === null)) agreed += 1
  }
  see(`of 2,000 requests Bolt and we take and refuse the same: ${agreed}`, agreed === 2_000)

  const receiver = new HTTPReceiver({
    signingSecret: 'signing-secret-of-the-laptop',
    endpoints: '/slack/events',
    port: 0,
    logLevel: LogLevel.ERROR,
  })
  const heard: string[] = []
  let token = ''
  let apiUrl = ''
  const app = new App({
    receiver,
    authorize: async () => ({ botToken: token, botUserId: 'U0BOTWORKS', botId: 'B0BOTWORKS' }),
    logLevel: LogLevel.ERROR,
  })
  app.message(async ({ message }: { message: { text: string } }) => void heard.push(`message ${message.text}`))
  app.event('app_mention', async ({ event }: { event: { text: string } }) => void heard.push(`mention ${event.text}`))
  app.command(
    '/berth',
    async ({
      ack,
      command,
      respond,
    }: {
      ack(): Promise<void>
      command: { text: string }
      respond(text: string): Promise<void>
    }) => {
      await ack()
      heard.push(`command ${command.text}`)
      await respond('done')
    },
  )
  app.action(/.*/, async ({ ack, action }: { ack(): Promise<void>; action: { value: string } }) => {
    await ack()
    heard.push(`press ${action.value}`)
  })
  const server = await app.start(0)
  const slack = await slackEmulator.start({
    pagesUrl: 'http://127.0.0.1/slack',
    webhookUrl: `http://127.0.0.1:${server.address().port}/slack/events`,
    log: (line) => console.log(line),
  })
  try {
    token = slack.people.install('T0WORKSHOP')
    apiUrl = `${slack.apiBase}/api/`
    const client = new WebClient(token, { slackApiUrl: apiUrl, retryConfig: { retries: 0 } })
    const at = { user: 'U0ADAWORKS', channel: 'C0GENERALWORKS' }
    slack.people.invite(at)
    slack.people.say(at, '@app hello')
    const asked = await client.chat.postMessage({
      channel: at.channel,
      text: 'May I?',
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'a', value: 'yes', text: { type: 'plain_text', text: 'Yes' } }],
        },
      ],
    })
    const command = await slack.people.command(at, '/berth status')
    const press = await slack.people.press(at, asked.ts, 'yes')
    await slack.settled()
    see(
      `Bolt takes the emulator’s events, command and press: ${heard.sort().join(', ')}`,
      ['command status', 'mention <@U0BOTWORKS> hello', 'message <@U0BOTWORKS> hello', 'press yes'].every((wanted) =>
        heard.includes(wanted),
      ),
    )
    see('and answers them', command?.status === 200 && press?.status === 200 && slack.lost() === 0)
    for (let tries = 0; tries < 50 && !slack.store.value.messages.some(({ text }) => text === 'done'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    see(
      'Bolt’s answer to a command is seen by its person alone',
      slack.store.value.messages.some(({ text, onlyFor }) => text === 'done' && onlyFor === at.user),
    )
    await client.files.uploadV2({ channel_id: at.channel, content: 'a,b', filename: 'a.csv' })
    see('the newest client uploads a file', slack.store.value.messages.at(-1)?.files.length === 1)
  } finally {
    await app.stop()
    await slack.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0

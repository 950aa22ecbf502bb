import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogLevel, WebClient, type WebClientOptions } from '@slack/web-api'
import { type TestSlack, testSlack, workshop } from './slack.ts'

let now: number
let slack: TestSlack
let client: WebClient
beforeEach(async () => {
  now = Date.parse('2026-11-20T12:00:00.000Z')
  slack = await testSlack({ limited: true, now: () => now })
  const options = {
    slackApiUrl: `${slack.apiBase}/api/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
  }
  client = new WebClient(slack.people.install(workshop.team), options)
  slack.people.invite({ user: workshop.ada, channel: workshop.general })
})
afterEach(() => slack.stop())

const nothing = () => {}
const silent: WebClientOptions['logger'] = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => LogLevel.ERROR,
}
const code = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error: { data?: { error?: string }; retryAfter?: number; code?: string }) =>
      error.data?.error ?? (error.retryAfter === undefined ? error.code : `wait ${error.retryAfter}`),
  )
const { general: channel } = workshop

describe('Slack’s own client', () => {
  test('identifies itself, and sends, changes and removes a message', async () => {
    expect(await client.auth.test()).toMatchObject({ ok: true, team_id: workshop.team, user_id: 'U0BOTWORKS' })
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'one' })
    await client.chat.update({ channel, ts, markdown_text: '**two**' })
    expect((await client.conversations.history({ channel })).messages).toMatchObject([
      { ts, text: '**two**', bot_id: 'B0BOTWORKS' },
    ])
    await client.chat.delete({ channel, ts })
    expect((await client.conversations.history({ channel })).messages).toEqual([])
  })

  test('streams with its own helper', async () => {
    const root = slack.people.say({ user: workshop.ada, channel }, 'tell me')
    const streamer = client.chatStream({
      channel,
      thread_ts: root.ts,
      recipient_team_id: workshop.team,
      recipient_user_id: workshop.ada,
      buffer_size: 1,
    })
    for (const markdown_text of ['It ', 'is ', 'so.']) await streamer.append({ markdown_text })
    await streamer.stop()
    expect((await client.conversations.replies({ channel, ts: root.ts })).messages).toMatchObject([
      { text: 'tell me' },
      { text: 'It is so.' },
    ])
  })

  test('uploads a file with its own helper, and downloads it again', async () => {
    const file = Buffer.from('col1,col2\n')
    await client.files.uploadV2({ channel_id: channel, file, filename: 'table.csv', initial_comment: 'here' })
    const [stored] = Object.values(slack.store.value.files)
    const { file: found } = await client.files.info({ file: stored?.id ?? '' })
    expect(found).toMatchObject({ name: 'table.csv', size: file.length, mimetype: 'text/csv' })
    const headers = { authorization: `Bearer ${client.token}` }
    const response = await fetch(found?.url_private_download ?? '', { headers })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(file)
    const without = await fetch(found?.url_private_download ?? '', { redirect: 'manual' })
    expect(without.status).toBe(302)
  })

  test('exchanges a code for a token, once', async () => {
    const give = { client_id: slack.app.clientId, client_secret: slack.app.clientSecret }
    const made = slack.people.allow(workshop.team, workshop.ada, 'https://a.example/')
    const anyone = new WebClient(undefined, { slackApiUrl: `${slack.apiBase}/api/`, retryConfig: { retries: 0 } })
    expect(await code(anyone.oauth.v2.access({ ...give, client_secret: 'no', code: made }))).toBe('bad_client_secret')
    const { access_token } = await anyone.oauth.v2.access({ ...give, code: made })
    expect(await code(anyone.auth.test({ token: access_token ?? '' }))).toBe('done')
    expect(await code(anyone.oauth.v2.access({ ...give, code: made }))).toBe('invalid_code')
  })
})

describe('Slack refuses', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['no token', () => client.apiCall('auth.test', { token: 'xoxb-x' }), 'account_inactive'],
    ['another method', () => client.apiCall('chat.shout'), 'unknown_method'],
    ['an unknown channel', () => client.chat.postMessage({ channel: 'C1', text: 'x' }), 'channel_not_found'],
    [
      'a channel without the bot',
      () => client.chat.postMessage({ channel: 'C0RANDOMWORKS', text: 'x' }),
      'not_in_channel',
    ],
    ['no text', () => client.chat.postMessage({ channel, text: '' }), 'no_text'],
    [
      'a text that is too long',
      () => client.chat.postMessage({ channel, markdown_text: 'x'.repeat(12_001) }),
      'msg_too_long',
    ],
    [
      'Markdown and text',
      () => client.apiCall('chat.postMessage', { channel, text: 'x', markdown_text: 'x' }),
      'markdown_text_conflict',
    ],
    [
      'blocks of an unknown kind',
      () => client.apiCall('chat.postMessage', { channel, blocks: [{ type: 'cake' }] }),
      'invalid_blocks',
    ],
    [
      'too many buttons',
      () =>
        client.apiCall('chat.postMessage', {
          channel,
          blocks: [
            { type: 'actions', elements: Array(26).fill({ type: 'button', text: { type: 'plain_text', text: 'x' } }) },
          ],
        }),
      'invalid_blocks',
    ],
    [
      'the same button twice',
      () =>
        client.apiCall('chat.postMessage', {
          channel,
          blocks: [
            {
              type: 'actions',
              elements: Array(2).fill({ type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'x' } }),
            },
          ],
        }),
      'invalid_blocks',
    ],
    [
      'an edit of nothing',
      () => client.chat.update({ channel, ts: '1700000000.000100', text: 'x' }),
      'message_not_found',
    ],
    [
      'a stream for nobody',
      () => client.chat.startStream({ channel, thread_ts: '1700000000.000100', markdown_text: 'x' }),
      'missing_recipient_team_id',
    ],
    [
      'a file that was not uploaded',
      async () => {
        const { file_id = '' } = await client.files.getUploadURLExternal({ filename: 'a', length: 5 })
        return client.files.completeUploadExternal({ files: [{ id: file_id, title: 'a' }], channel_id: channel })
      },
      'file_not_found',
    ],
    ['direct messages with itself', () => client.conversations.open({ users: 'U0BOTWORKS' }), 'cannot_dm_bot'],
  ])('%s', async (_, run, expected) => {
    expect(await code(run())).toBe(expected)
  })

  test('an edit while it streams', async () => {
    const { ts = '' } = await client.chat.startStream({
      channel,
      thread_ts: '1700000000.000100',
      recipient_team_id: workshop.team,
      recipient_user_id: workshop.ada,
      markdown_text: 'x',
    })
    expect(await code(client.chat.update({ channel, ts, text: 'y' }))).toBe('streaming_state_conflict')
    now += 5 * 60_000
    expect(await code(client.chat.appendStream({ channel, ts, markdown_text: 'y' }))).toBe(
      'message_not_in_streaming_state',
    )
  })

  test('a fourth message within three seconds, and says how long to wait', async () => {
    const post = () => code(client.chat.postMessage({ channel, text: 'x' }))
    expect([await post(), await post(), await post(), await post()]).toEqual(['done', 'done', 'done', 'wait 3'])
    now += 3000
    expect(await post()).toBe('done')
  })

  test('a fifty-first edit within a minute', async () => {
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'x' })
    for (let i = 0; i < 50; i++) await client.chat.update({ channel, ts, text: String(i) })
    expect(await code(client.chat.update({ channel, ts, text: 'y' }))).toBe('wait 60')
  })
})

describe('the page', () => {
  const act = (what: object, headers: Record<string, string> = {}) =>
    fetch(`${slack.pageUrl}/act`, {
      method: 'POST',
      body: JSON.stringify(what),
      headers: { 'content-type': 'application/json', ...headers },
    })

  test('has its script and style, and may run nothing else', async () => {
    const response = await fetch(slack.pageUrl)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    for (const path of ['page.js', 'page.css']) expect((await fetch(`${slack.pageUrl}/${path}`)).status).toBe(200)
    expect((await fetch(`${slack.pageUrl}/page.ts`)).status).toBe(404)
  })

  test('shows a person’s view, and sends a person’s messages', async () => {
    const at = { user: workshop.ada, channel }
    expect(
      await (await act({ do: 'say', ...at, text: 'hello @app', files: [{ name: 'a.txt', base64: 'aGk=' }] })).json(),
    ).toEqual({ problem: null })
    const query = new URLSearchParams(at)
    const state = await (await fetch(`${slack.pageUrl}/state?${query}`)).json()
    expect(state).toMatchObject({
      team: 'Workshop',
      hasApp: true,
      messages: [{ who: 'ada', text: 'hello @app', files: [{ name: 'a.txt', size: 2 }] }],
    })
    const file = await fetch(`${slack.pageUrl}/file/${state.messages[0].files[0].id}`)
    expect([await file.text(), file.headers.get('content-disposition')]).toEqual([
      'hi',
      expect.stringContaining('attachment'),
    ])
  })

  test('does nothing for another site, and nothing impossible', async () => {
    const say = { do: 'say', user: workshop.ada, channel, text: 'x' }
    expect((await act(say, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await act({ do: 'shout' })).status).toBe(400)
    expect((await act({ ...say, user: 'U1' })).status).toBe(400)
    expect(slack.store.value.messages).toEqual([])
  })
})

test('all data is still there after a restart', async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'slack-'))
  const first = await testSlack({ stateFolder })
  const token = first.people.install(workshop.team)
  const direct = first.people.direct(workshop.team, workshop.ada)
  first.people.say({ user: workshop.ada, channel: direct.id }, 'hello')
  await first.stop()
  const second = await testSlack({ stateFolder })
  const again = new WebClient(token, { slackApiUrl: `${second.apiBase}/api/`, retryConfig: { retries: 0 } })
  expect((await again.conversations.history({ channel: direct.id })).messages).toMatchObject([{ text: 'hello' }])
  await second.stop()
})

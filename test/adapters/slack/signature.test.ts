import * as fc from 'fast-check'
import { readRequest } from '../../../adapters/slack/read.ts'
import { inbound } from '../../../domain/channels/inbound.ts'
import { sign } from '../../../emulators/slack/deliveries.ts'
import { cases, seeded } from '../../counts.ts'

const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'
const secret = { appId: 'A1', clientId: '1.2', clientSecret: 's', signingSecret }
const now = 1_790_000_000
const nowMs = now * 1000

const signed = (rawBody: string, more: Record<string, string> = {}, at = now) => ({
  rawBody,
  headers: {
    'content-type': 'application/json',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': sign(rawBody, signingSecret, at),
    ...more,
  },
})
const read = (request: ReturnType<typeof signed>, of: Partial<typeof secret> = {}) =>
  readRequest(request, { ...secret, ...of }, nowMs)

const event = { type: 'message', channel: 'D1', user: 'U1', text: 'hello', ts: '1790000000.000100', channel_type: 'im' }
const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event, event_time: now })

test('our signature matches Slack’s own example', () => {
  const rawBody =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  }
  expect(readRequest({ rawBody, headers }, { ...secret, appId: '' }, 1_531_420_618_000)).toMatchObject({
    kind: 'inbound',
    inbound: [{ what: { kind: 'command', name: 'webhook-collect' }, chat: { id: 'T1DC2JH3J/G8PSS9T3V' } }],
  })
})

describe('a request to the Slack webhook', () => {
  test('with a valid signature is accepted', () => {
    expect(read(signed(body))).toMatchObject({ kind: 'inbound', answer: null, inbound: [{ what: { text: 'hello' } }] })
  })

  test('for URL verification gets its challenge back', () => {
    expect(read(signed(JSON.stringify({ type: 'url_verification', token: 't', challenge: 'c3V' })))).toEqual({
      kind: 'inbound',
      inbound: [],
      answer: { challenge: 'c3V' },
    })
  })

  test.each<[string, ReturnType<typeof signed>, Partial<typeof secret>]>([
    [
      'a request without a configured secret',
      signed(body, { 'x-slack-signature': sign(body, '', now) }),
      { signingSecret: '' },
    ],
    ['a request with another secret', signed(body), { signingSecret: 'other' }],
    ['a request for another app', signed(body.replace('"A1"', '"A2"')), {}],
    [
      'a command for another app',
      signed('command=%2Fberth&api_app_id=A2', { 'content-type': 'application/x-www-form-urlencoded' }),
      {},
    ],
    [
      'a button press for another app',
      signed(`payload=${encodeURIComponent('{"api_app_id":"A2"}')}`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      {},
    ],
    ['a request from 301 seconds ago', signed(body, {}, now - 301), {}],
    ['a request from 301 seconds ahead', signed(body, {}, now + 301), {}],
    ['a request with another time stamp', signed(body, { 'x-slack-request-timestamp': String(now - 1) }), {}],
    [
      'a request without a signature',
      { ...signed(body), headers: { 'x-slack-request-timestamp': String(now) } as never },
      {},
    ],
    ['a request without headers', { rawBody: body, headers: {} as never }, {}],
    [
      'a request with an older kind of signature',
      signed(body, { 'x-slack-signature': sign(body, signingSecret, now).replace('v0', 'v1') }),
      {},
    ],
    [
      'a request with two signatures',
      signed(body, { 'x-slack-signature': `${sign(body, signingSecret, now)},v0=${'0'.repeat(64)}` }),
      {},
    ],
    ['a request with a malformed time stamp', signed(body, { 'x-slack-request-timestamp': `0${now}` }), {}],
  ])('%s is refused', (_, request, of) => {
    expect(read(request, of)).toMatchObject({ kind: 'refused', why: expect.any(String) })
  })

  test.each([now - 300, now + 300])('with a time stamp five minutes away is accepted', (at) => {
    expect(read(signed(body, {}, at)).kind).toBe('inbound')
  })

  test('with any changed byte is refused', () => {
    const request = signed(body)
    const bytes = Buffer.from(body)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 127 }), (place, by) => {
        const changed = Buffer.from(bytes)
        changed[place] = ((changed[place] ?? 0) + by) % 128
        expect(read({ ...request, rawBody: changed.toString() }).kind).toBe('refused')
      }),
      seeded(5_000, 500),
    )
    for (let place = 0; place < 67; place++) {
      const signature = request.headers['x-slack-signature']
      const other = signature[place] === 'a' ? 'b' : 'a'
      const changed = signature.slice(0, place) + other + signature.slice(place + 1)
      expect(read({ ...request, headers: { ...request.headers, 'x-slack-signature': changed } }).kind).toBe('refused')
    }
  })
})

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' ? Object.values(value ?? {}).flatMap(textsOf) : []

describe('any input that Slack signs', () => {
  /** Input like Slack's, with arbitrary values in any part. */
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, undefined, 'D1', 'T1', 'U1', '1790000000.000100', -1, 1e300),
  )
  const like = (shape: Record<string, unknown>) =>
    fc.record(
      Object.fromEntries(
        Object.entries(shape).map(([name, value]) => [
          name,
          fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, odd),
        ]),
      ),
      { requiredKeys: [] },
    )
  const types = fc.constantFrom(
    'message',
    'app_mention',
    'member_left_channel',
    'channel_left',
    'app_uninstalled',
    'tokens_revoked',
    '__proto__',
    'constructor',
  )
  const subtypes = fc.constantFrom(
    undefined,
    'message_changed',
    'message_deleted',
    'file_share',
    'bot_message',
    'channel_join',
  )
  const message = {
    ...event,
    thread_ts: event.ts,
    files: [{ id: 'F1', name: 'a', size: 1 }],
    edited: {},
    bot_id: 'B1',
    tokens: { bot: ['U1'] },
  }
  const events = fc
    .tuple(like({ ...message, message, previous_message: message }), types, subtypes)
    .map(([given, type, subtype]) => ({ ...given, type, ...(subtype && { subtype }) }))
  const envelope = fc.tuple(
    like({ team_id: 'T1', event_time: now, authorizations: [{ team_id: 'T1', user_id: 'U1', is_bot: true }] }),
    events,
  )
  const press = like({
    type: 'block_actions',
    user: { id: 'U1' },
    team: { id: 'T1' },
    channel: { id: 'D1' },
    message: { ts: event.ts },
    actions: [{ type: 'button', value: 'x', action_ts: event.ts }],
  })
  const bodies = fc.oneof(
    fc.string().map((text) => signed(text)),
    fc.json().map((text) => signed(text)),
    envelope.map(([given, inner]) =>
      signed(JSON.stringify({ ...given, type: 'event_callback', api_app_id: 'A1', event: inner })),
    ),
    press.map((given) =>
      signed(new URLSearchParams({ payload: JSON.stringify({ ...given, api_app_id: 'A1' }) }).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ),
    fc
      .dictionary(
        fc.constantFrom('command', 'text', 'team_id', 'channel_id', 'user_id', 'trigger_id', 'response_url'),
        fc.oneof(fc.string(), fc.constantFrom('/x', 'T1', 'D1', 'U1')),
      )
      .map((fields) =>
        signed(new URLSearchParams(fields).toString(), {
          'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        }),
      ),
  )

  test('is read without an error, and the result has the contract’s shape', () => {
    let heard = 0
    fc.assert(
      fc.property(bodies, (request) => {
        const reading = read(request)
        if (reading.kind === 'refused') throw new Error(reading.why)
        for (const each of reading.inbound) {
          heard += 1
          inbound.parse(each)
          for (const text of textsOf(each)) expect(text.isWellFormed()).toBe(true)
        }
      }),
      seeded(20_000, 3_000),
    )
    expect(heard).toBeGreaterThan(cases(20_000, 3_000) / 100)
  })

  test('is read even when it is huge', () => {
    const text = '<@U1>'.repeat(20_000) + '<'.repeat(100_000) + '&amp;'.repeat(100_000)
    const started = performance.now()
    expect(
      read(signed(JSON.stringify({ type: 'event_callback', team_id: 'T1', event: { ...event, text } }))),
    ).toMatchObject({
      inbound: [{ what: { kind: 'message' } }],
    })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

import { type Caller, call, hostedUser, origin, until } from './client.ts'

/** The agent gets the content that a person refers to, from each platform's own events. */

const newCode = async (caller: Caller): Promise<string> => (await call('POST', '/channels/codes', {}, caller)).body.code

/** The person's latest message to the agent, once it contains these words. */
const asked = async (me: Caller, words: RegExp, conversation = 'main') => {
  const messages = () => call('GET', `/chat/messages?conversation=${conversation}`, undefined, me)
  const { body } = await until(`the agent to be asked ${words}`, messages, ({ body }) =>
    body.messages.some(({ role, text }: Record<string, string>) => role === 'user' && words.test(text ?? '')),
  )
  return body.messages.find(({ role, text }: Record<string, string>) => role === 'user' && words.test(text ?? ''))
}

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${origin}/local${path}`, init)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
const post = (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body) })

test('an album on Telegram is one message with all of its files', async () => {
  const me = await hostedUser()
  const { id } = await post('/telegram/do', { do: 'person', name: 'Alba' })
  await post('/telegram/do', { do: 'say', chat: id, person: id, text: `/start ${await newCode(me)}` })
  const linked = () => call('GET', '/channels', undefined, me)
  await until('the chat to be linked', linked, ({ body }) => body.channels.length > 0)
  for (const [name, text] of [
    ['one.txt', 'compare these'],
    ['two.txt', ''],
    ['three.txt', ''],
  ] as const) {
    const query = new URLSearchParams({
      chat: String(id),
      person: String(id),
      name,
      type: 'text/plain',
      text,
      album: 'a1',
    })
    await ask(`/telegram/file?${query}`, { method: 'POST', body: name })
  }
  const message = await asked(me, /compare these/)
  expect(message.attachments.map(({ name }: { name: string }) => name)).toEqual(['one.txt', 'two.txt', 'three.txt'])
}, 60_000)

test('a forward and a table on Slack reach the agent as text', async () => {
  const me = await hostedUser()
  const { url } = (await call('POST', '/channels/slack/installs', {}, me)).body
  const consent = await (await fetch(url)).text()
  const user = /value="(U\w+)"/.exec(consent)?.[1] ?? ''
  const sent = await fetch(url, { method: 'POST', body: new URLSearchParams({ user }), redirect: 'manual' })
  const { searchParams } = new URL(sent.headers.get('location') ?? '')
  const allowed = { code: searchParams.get('code'), state: searchParams.get('state') }
  expect((await call('POST', '/channels/slack/installs/finish', allowed, me)).status).toBeLessThan(300)
  const { channels } = await ask(`/slack/state?user=${user}`)
  const direct = channels.find(({ name }: { name: string }) => name.startsWith('the app in'))
  const at = { user, channel: direct.id }
  const act = async (more: object) => expect(await post('/slack/act', { ...at, ...more })).toEqual({ problem: null })
  await act({ do: 'say', text: await newCode(me) })
  await until(
    'the chat to be linked',
    () => call('GET', '/channels', undefined, me),
    ({ body }) => body.channels.length > 0,
  )
  const other = channels.find(({ name }: { name: string }) => name.startsWith('#'))
  await act({ do: 'say', channel: other.id, text: 'Pump 3 shows > 80' })
  const { messages } = await ask(`/slack/state?user=${user}&channel=${other.id}`)
  await act({ do: 'say', text: 'deal with this', forwards: { channel: other.id, ts: messages.at(-1).ts } })
  expect((await asked(me, /deal with this/)).text).toMatch(/Pump 3 shows > 80/)
  await act({
    do: 'say',
    text: 'which is best?',
    table: [
      ['Tea', 'Price'],
      ['Assam', '7'],
    ],
  })
  expect((await asked(me, /which is best/)).text).toContain('| Tea | Price |\n| --- | --- |\n| Assam | 7 |')
}, 60_000)

test('a forward on Discord reaches the agent as text', async () => {
  const me = await hostedUser()
  const { people } = await ask('/discord/state')
  const user = people.at(-1).id
  const state = async () => (await ask(`/discord/state?user=${user}`)).channels
  const direct = (await state()).find(({ server }: { server: string | null }) => server === null)
  const say = (fields: object) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ user, channel: direct.id, text: '', ...fields })) form.set(name, value)
    return ask('/discord/say', { method: 'POST', body: form })
  }
  await say({ text: await newCode(me) })
  await until(
    'the chat to be linked',
    () => call('GET', '/channels', undefined, me),
    ({ body }) => body.channels.length > 0,
  )
  await say({ text: 'The storm comes at nine.' })
  await asked(me, /storm comes at nine/)
  const shown = (await state()).find(({ id }: { id: string }) => id === direct.id).messages
  const { id } = shown.find(({ content }: { content: string }) => content === 'The storm comes at nine.')
  await say({ forwards: id })
  expect((await asked(me, /orwarded/)).text).toMatch(/The storm comes at nine\./)
}, 60_000)

/** The rows of “Refusals” in the emulator's README. */
import { type TestDiscord, testDiscord } from './discord.ts'

let world: TestDiscord
beforeEach(async () => {
  world = await testDiscord()
})
afterEach(() => world.close())

const call = (method: string, path: string, body: object) => world.call(method, path, body)
const send = (body: object) => call('POST', `/channels/${world.general.id}/messages`, body)

const button = (id: string, more: object = {}) => ({ type: 2, style: 2, custom_id: id, label: 'a', ...more })
const rows = (...components: object[][]) => ({
  content: 'a',
  components: components.map((buttons) => ({ type: 1, components: buttons })),
})
const buttons = (count: number, row = 0) => Array.from({ length: count }, (_, at) => button(`${row}-${at}`))

/** The code and the message at the wrong field. */
const problem = (field: string, code: string, message: string) => ({
  status: 400,
  code: 50035,
  message: 'Invalid Form Body',
  errors: field.split('.').reduceRight<object>((inner, name) => ({ [name]: inner }), { _errors: [{ code, message }] }),
})

describe('Discord refuses', () => {
  test('an empty message', async () => {
    expect(await send({ content: ' ' })).toMatchObject({ status: 400, code: 50006 })
  })

  test.each<[string, object, object]>([
    [
      'a text of more than 2,000 characters',
      { content: 'x'.repeat(2001) },
      problem('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.'),
    ],
    [
      'a nonce of more than 25 characters',
      { content: 'a', nonce: 'x'.repeat(26) },
      problem('nonce', 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.'),
    ],
    [
      'a custom_id of more than 100 characters',
      rows([button('x'.repeat(101))]),
      problem('components.0.components.0.custom_id', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.'),
    ],
    [
      'a label of more than 80 characters',
      rows([button('a', { label: 'x'.repeat(81) })]),
      problem('components.0.components.0.label', 'BASE_TYPE_MAX_LENGTH', 'Must be 80 or fewer in length.'),
    ],
    [
      'more than five buttons in a row',
      rows(buttons(6)),
      problem('components.0.components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.'),
    ],
    [
      'more than five rows',
      rows(...Array.from({ length: 6 }, (_, row) => buttons(1, row))),
      problem('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.'),
    ],
    [
      'a custom_id that is there twice',
      rows([button('a'), button('a')]),
      problem('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated'),
    ],
    [
      'an answer to a message that is not there',
      { content: 'a', message_reference: { message_id: '1' } },
      problem('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message'),
    ],
    ['half a character', { content: 'a\ud83d' }, { status: 400, code: 50109 }],
  ])('%s', async (_, body, expected) => {
    expect(await send(body)).toMatchObject(expected)
  })

  test('a call about an unknown channel, message, person or path', async () => {
    const general = `/channels/${world.general.id}/messages`
    expect(await call('POST', '/channels/1/messages', { content: 'a' })).toMatchObject({ status: 404, code: 10003 })
    expect(await call('PATCH', `${general}/1`, { content: 'a' })).toMatchObject({ status: 404, code: 10008 })
    expect(await call('DELETE', `${general}/1`, {})).toMatchObject({ status: 404, code: 10008 })
    expect(await call('POST', '/users/@me/channels', { recipient_id: '1' })).toMatchObject({ status: 404, code: 10013 })
    expect(await call('POST', `/webhooks/${world.emulator.application.id}/x`, { content: 'a' })).toMatchObject({
      status: 404,
      code: 10015,
    })
    expect(await call('POST', '/nowhere', {})).toMatchObject({ status: 404, code: 0 })
  })

  test('an edit of another person’s message', async () => {
    const ada = world.emulator.account.users.get(world.people.ada)
    if (!ada) throw new Error('nobody')
    const { id } = world.emulator.account.say(world.general, ada, { content: 'mine' })
    const edit = await call('PATCH', `/channels/${world.general.id}/messages/${id}`, { content: 'ours' })
    expect(edit).toMatchObject({ status: 403, code: 50005 })
  })

  test('a message where the bot is not allowed, or to somebody who blocked it', async () => {
    world.emulator.account.blocking.add(world.people.ada)
    expect(await call('POST', `/channels/${world.direct.id}/messages`, { content: 'a' })).toMatchObject({
      status: 403,
      code: 50007,
    })
    const [server] = world.emulator.account.servers.values()
    if (server) world.emulator.account.removeBot(server)
    expect(await send({ content: 'a' })).toMatchObject({ status: 403, code: 50001 })
  })

  test('a file of more than 10 MiB', async () => {
    const form = new FormData()
    form.set('payload_json', '{"content":"a"}')
    form.set('files[0]', new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'a.bin'))
    const response = await fetch(`${world.emulator.apiBase}/api/v10/channels/${world.general.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${world.emulator.application.botToken}` },
      body: form,
    })
    expect([response.status, (await response.json()).code]).toEqual([413, 40005])
  })

  test('a token that is not the bot’s', async () => {
    const response = await fetch(`${world.emulator.apiBase}/api/v10/channels/${world.general.id}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bot wrong', 'content-type': 'application/json' },
      body: '{"content":"a"}',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 0, message: '401: Unauthorized' })
  })
})

import { until } from '../../kit/test/until.ts'
import { type TestDiscord, testDiscord } from './discord.ts'

let world: TestDiscord
let page: string
beforeEach(async () => {
  world = await testDiscord()
  page = world.pageUrl
})
afterEach(() => world.close())

const send = (action: string, fields: Record<string, string>, headers: Record<string, string> = {}, file?: File) => {
  const body = new FormData()
  for (const [name, value] of Object.entries({ user: world.people.ada, channel: world.direct.id, ...fields }))
    body.set(name, value)
  if (file) body.append('file', file)
  return fetch(`${page}/${action}`, { method: 'POST', body, headers })
}
const state = async () => (await fetch(`${page}/state?user=${world.people.ada}`)).json()

describe('the page', () => {
  test('loads nothing from other hosts, and may run only its own script', async () => {
    const answer = await fetch(page)
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    const text = await answer.text()
    expect(text.match(/(?:src|href)="[^"]*"/g)).toEqual(['src="/local/discord/page.js"'])
    expect(text).not.toMatch(/ on\w+="/)
    const script = await fetch(`${page}/page.js`)
    expect(script.headers.get('content-type')).toContain('text/javascript')
    // Throws if the script does not parse.
    new Function(`return async () => {${await script.text()}}`)
  })

  test('sends, edits and deletes a person’s messages, with files', async () => {
    await send('say', { text: 'hello' }, {}, new File(['abc'], '<a>.svg', { type: 'image/svg+xml' }))
    const [message] = world.direct.messages
    expect(message).toMatchObject({ content: 'hello', author: { id: world.people.ada } })
    const file = await fetch(`${page}/file/${message?.attachments[0]?.id}`)
    // A file that a browser could run is served as bytes.
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['application/octet-stream', 'abc'])
    await send('edit', { message: message?.id ?? '', text: 'hello again' })
    expect((await state()).channels.find(({ id }: { id: string }) => id === world.direct.id).messages[0]).toMatchObject(
      {
        content: 'hello again',
        edited_timestamp: expect.any(String),
      },
    )
    await send('delete', { message: message?.id ?? '' })
    expect(world.direct.messages).toEqual([])
  })

  test('sends commands and button presses, and shows when nobody answers', async () => {
    await send('command', { text: '/ask what is this' })
    const options = [{ name: 'message', value: 'what is this' }]
    expect(world.received.at(-1)).toMatchObject({ type: 2, data: { name: 'ask', options } })
    expect(await (await send('command', { text: '/nothing' })).json()).toEqual({
      notice: 'There is no command /nothing.',
    })
    const yes = { type: 2, style: 2, custom_id: 'y', label: 'Yes' }
    const message = { content: 'may I?', components: [{ type: 1, components: [yes] }] }
    const { id } = await world.call('POST', `/channels/${world.direct.id}/messages`, message)
    await send('press', { message: id, data: 'y' })
    expect(world.received.at(-1)).toMatchObject({ type: 3, data: { custom_id: 'y' } })
    world.answers.push(500)
    expect((await (await send('command', { text: '/status' })).json()).notice).toContain('did not respond')
  })

  test('shows who is typing, mentions people by name, and blocks or removes the bot', async () => {
    await world.call('POST', `/channels/${world.direct.id}/typing`, {})
    const channel = async () => (await state()).channels.find(({ id }: { id: string }) => id === world.direct.id)
    await until(async () => (await channel()).typing)
    await send('say', { channel: world.general.id, text: '@Agent and @Ben' })
    expect(world.general.messages[0]?.mentions.map(({ username }) => username)).toEqual(['Agent', 'ben'])
    await send('toggle', {})
    expect((await channel()).open).toBe(false)
    await send('toggle', { channel: world.general.id })
    expect([...world.emulator.account.servers.values()][0]?.members.has(world.emulator.application.id)).toBe(false)
  })

  test('does nothing for another site, nor in a chat that the person is not in', async () => {
    expect((await send('say', { text: 'x' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send('say', { text: 'x', user: world.people.ben })).status).toBe(404)
    expect((await send('say', { text: 'x', user: world.emulator.application.id })).status).toBe(404)
    expect((await fetch(`${page}/say`, { method: 'POST', body: 'x' })).status).toBe(400)
    expect(world.direct.messages).toEqual([])
  })
})

test('the address of interactions is accepted only if it refuses a wrong signature', async () => {
  const { emulator, webhookUrl } = world
  expect(await emulator.interactions.verifies(webhookUrl)).toBe(true)
  const careless = await testDiscord({
    webhook: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":1}'),
  })
  expect(await careless.emulator.interactions.verifies(careless.webhookUrl)).toBe(false)
  await careless.close()
})

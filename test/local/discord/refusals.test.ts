/** The rows of “Refusals” in the emulator's README. */
import { discordWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await discordWorld()
})
afterEach(() => world.close())

async function call(method: string, path: string, body: object): Promise<{ status: number; code: number }> {
  const response = await fetch(`${world.secret.apiBase}/api/v10${path}`, {
    method,
    headers: { authorization: `Bot ${world.secret.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...(await response.json()) }
}

const send = (body: object) => call('POST', `/channels/${world.general.id}/messages`, body)

describe('Discord refuses', () => {
  test('a message of nothing', async () => {
    expect(await send({ content: ' ' })).toMatchObject({ status: 400, code: 50006 })
  })
})

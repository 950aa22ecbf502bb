/** The rows of “Refusals” in the emulator's README. */
import { type TestSlack, testSlack, workshop } from './world.ts'

let slack: TestSlack
let token: string
beforeEach(async () => {
  slack = await testSlack()
  token = slack.people.install(workshop.team)
  slack.people.invite({ user: workshop.ada, channel: workshop.general })
})
afterEach(() => slack.close())

/** The code that a call is refused with. */
async function errorOf(method: string, body: object): Promise<string> {
  const response = await fetch(`${slack.apiBase}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()).error
}

const { general: channel } = workshop

describe('Slack refuses', () => {
  test.each([['no text and no blocks', 'chat.postMessage', { channel }, 'no_text']])(
    '%s',
    async (_, method, body, error) => {
      expect(await errorOf(method, body)).toBe(error)
    },
  )
})

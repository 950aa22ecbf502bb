/** The rows of “Refusals” in the emulator's README. */
import { type TestTelegram, testTelegram } from './emulator.ts'

const ada = 1001
let there: TestTelegram
beforeEach(async () => {
  there = await testTelegram()
  there.people.say(ada, ada, { text: '/start CODE' })
  await there.settled()
})
afterEach(() => there.close())

describe('Telegram refuses', () => {
  test.each([['a text of nothing', 'sendMessage', { chat_id: ada, text: ' ' }, 'Bad Request: message text is empty']])(
    '%s',
    async (_, method, parameters, description) => {
      expect(await there.api(method, parameters)).toEqual({ ok: false, error_code: 400, description })
    },
  )
})

import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, call, hostedUser, origin, until } from './client.ts'

interface Shown {
  bot: { id: number }
  chats: { id: number; messages: { from: number; text?: string }[] }[]
}

const telegram = async (path: string, body?: object) => {
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${origin}/local/telegram${path}`, sent)
  if (!response.ok) throw new Error(`the stand-in answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Messages in one chat within this time are limited; further ones are handled by the sweep a minute later. */
const floodMs = 4_000

/** A person on Telegram, in a direct chat with the bot, who reads an answer before the next message. */
async function person(name: string) {
  const { id } = await telegram('/do', { do: 'person', name })
  const heard = async (): Promise<string[]> => {
    const { bot, chats }: Shown = await telegram('/state')
    const messages = chats.find((chat) => chat.id === id)?.messages ?? []
    return messages.flatMap(({ from, text = '' }) => (from === bot.id ? [text] : []))
  }
  let readMs = 0
  return {
    async say(text: string) {
      await sleep(Math.max(0, readMs + floodMs - Date.now()))
      await telegram('/do', { do: 'say', chat: id, person: id, text })
    },
    async hears(what: RegExp) {
      await until(`${name} to hear ${what}`, heard, (texts) => texts.some((text) => what.test(text)))
      readMs = Date.now()
    },
  }
}

const newCode = async (caller: Caller): Promise<string> => (await call('POST', '/channels/codes', {}, caller)).body.code

describe('a chat on Telegram', () => {
  test('is linked by a code, answered by the agent, and unlinked', async () => {
    const [me, ada] = [await hostedUser(), await person('Ada')]
    await ada.say('hello?')
    await ada.hears(/not linked to an account/)
    await ada.say(`/start ${await newCode(me)}`)
    await ada.hears(/linked now/)
    await ada.say('What is the tide?')
    await ada.hears(/What is the tide\?/)
    await ada.say('/balance')
    await ada.hears(/The wallet holds \$/)
    const { body } = await call('GET', '/chat/messages', undefined, me)
    expect(body.messages).toMatchObject([
      { role: 'user', text: 'What is the tide?', channel: 'telegram' },
      { role: 'agent', channel: 'telegram' },
    ])
    const deliveries = (await call('GET', '/channels/deliveries', undefined, me)).body.deliveries
    expect(deliveries.filter(({ state }: { state: string }) => !['done', 'sent'].includes(state))).toEqual([])
    await ada.say('/unlink')
    await ada.hears(/no longer linked/)
    expect((await call('GET', '/channels', undefined, me)).body.channels).toEqual([])
  })
})

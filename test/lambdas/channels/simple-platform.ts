import { ChatMovedError, type ChatPlatform, type Content, PlatformError } from '../../../app/ports/chat-platform.ts'
import type { Inbound } from '../../../domain/channels/inbound.ts'

interface Shown {
  chat: string
  id: string
  text: string
  buttons: Content['buttons']
  edits: number
}

/** A platform in a few lines: it trusts its webhook, stores sent messages, and fails on request. */
export function simplePlatform() {
  const shown: Shown[] = []
  const files: { name: string; bytes: number }[] = []
  const failures: PlatformError[] = []
  const owners = new Set<string>()
  /** Chats that moved to other ids, by their old ids. */
  const moved = new Map<string, string>()
  let calls = 0
  const called = (chat?: string) => {
    calls++
    const to = chat && moved.get(chat)
    if (to) throw new ChatMovedError('the chat has another id', to)
    const failure = failures.shift()
    if (failure) throw failure
  }
  const port: ChatPlatform = {
    about: async () => ({ name: '@test', startUrl: 'https://chat.example/test?start={code}' }),
    async read({ headers, rawBody }) {
      if (headers['x-test'] !== 'secret') return { kind: 'refused', why: 'no secret' }
      return { kind: 'inbound', inbound: JSON.parse(rawBody) as Inbound[], answer: { seen: true } }
    },
    async send({ chat }, { text, buttons }) {
      called(chat.id)
      const id = String(shown.length + 1)
      shown.push({ chat: chat.id, id, text, buttons, edits: 0 })
      return { messageId: id }
    },
    async edit({ chat }, messageId, { text, buttons }) {
      called(chat.id)
      const message = shown.find((each) => each.chat === chat.id && each.id === messageId)
      if (!message) throw new PlatformError('refused', 'no such message')
      Object.assign(message, { text, buttons, edits: message.edits + 1 })
    },
    async typing() {
      calls++
    },
    async sendFile(_to, { name, content }) {
      called()
      files.push({ name, bytes: content.length })
      return { messageId: `file-${files.length}` }
    },
    async fetchFile(_chat, { ref }) {
      called()
      return new TextEncoder().encode(ref)
    },
    namesOf: async () => new Map([['U0BENWORKS', 'Ben']]),
    ownsChat: async (_chat, personId) => owners.has(personId),
  }
  return { port, shown, files, failures, owners, moved, calls: () => calls }
}

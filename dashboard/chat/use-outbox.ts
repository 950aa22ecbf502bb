import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Message } from '../../domain/chat/message.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth } from '../data/client.ts'
import { keep, onKept, readKept } from './browser-storage.ts'
import { Outbox, type Outgoing } from './outbox.ts'

const name = 'outbox'

/** Before all ids of messages. */
const beforeAll = `msg_${'0'.repeat(26)}`

async function wasTaken({ conversation, text, after }: Outgoing): Promise<boolean> {
  const { messages } = await berth.listMessages({ conversation, after: after ?? beforeAll, limit: 100 })
  return messages.some((message) => message.role === 'user' && message.text === text)
}

const send = async ({ key, conversation, text, attachments, replaces }: Outgoing): Promise<Message> => {
  const files = attachments.map(({ id }) => id)
  const said = { conversation, text, attachments: files, ...(replaces && { replaces }) }
  const { message } = await berth.sendMessage(said, { idempotencyKey: key })
  return message
}

const openOutbox = (accountId: string, taken: EventTarget) =>
  new Outbox(
    {
      send,
      wasTaken,
      alone: (work) => navigator.locks.request(`${name} ${accountId}`, work),
      read: () => readKept(accountId, name),
      write: (text) => keep(accountId, name, text === '[]' ? '' : text),
      after: (ms, run) => void setTimeout(run, ms),
    },
    (message) => taken.dispatchEvent(new CustomEvent('taken', { detail: message })),
  )

/** @param onTaken receives each message that the service has taken */
export function useOutbox(conversation: string, onTaken: (message: Message) => void) {
  const { account, connected } = useAccount()
  const [taken] = useState(() => new EventTarget())
  const [outbox] = useState(() => openOutbox(account.id, taken))
  const all = useSyncExternalStore(outbox.subscribe, outbox.all)

  useEffect(() => {
    // safe because only the outbox above sends these
    const handle = (event: Event) => onTaken((event as CustomEvent<Message>).detail)
    taken.addEventListener('taken', handle)
    return () => taken.removeEventListener('taken', handle)
  }, [taken, onTaken])
  useServerEvents('conversation.deleted', (event) => event && outbox.forget(String(event.data.conversationId)))
  useEffect(() => onKept(account.id, name, () => outbox.reread()), [account.id, outbox])
  // A new connection shows that the service can be reached again.
  useEffect(() => {
    if (connected || navigator.onLine) void outbox.flush()
    const flush = () => void outbox.flush()
    window.addEventListener('online', flush)
    return () => window.removeEventListener('online', flush)
  }, [outbox, connected])

  return {
    outgoing: all.filter((message) => message.conversation === conversation),
    isWaiting: outbox.isWaiting,
    send: (text: string, attachments: readonly Attachment[], after: string | null, replaces?: string) =>
      outbox.add({
        ...{ key: crypto.randomUUID(), conversation, text, attachments, at: new Date().toISOString(), after },
        ...(replaces !== undefined && { replaces }),
      }),
    retry: ({ key }: Outgoing) => outbox.retry(key, crypto.randomUUID()),
    drop: (key: string) => outbox.drop(key),
  }
}

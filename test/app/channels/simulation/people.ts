/** The people of each chat, and their actions. */
import type { Chat, Happening, Person } from '../../../../domain/channels/inbound.ts'
import { type Platform, platforms } from '../../../../domain/channels/platform.ts'
import { askedText, pick, type Random } from './texts.ts'

export interface Account {
  userId: string
  instanceId: string
  /** Their identity on each platform. */
  persons: Record<Platform, Person>
}

export interface Place {
  chat: Chat
  members: Person[]
  /** The owner of the direct chat or group; null for a stranger's. */
  owner: Account | null
}

const person = (id: string, bot = false): Person => ({ id, name: `Name of ${id}`, bot })

const each = <T>(of: (platform: Platform) => T): Record<Platform, T> => ({
  telegram: of('telegram'),
  slack: of('slack'),
  discord: of('discord'),
})

export const accountOf = (userId: string, instanceId: string): Account => ({
  userId,
  instanceId,
  persons: each((platform) => person(`${platform}-${userId}`)),
})

/** All direct chats, strangers’ too, and a group on each platform. */
export function placesOf(accounts: readonly Account[]): Place[] {
  return platforms.flatMap((platform) => {
    const stranger = person(`${platform}-stranger`)
    const bot = person(`${platform}-bot`, true)
    const direct = (who: Person, owner: Account | null): Place => ({
      chat: { platform, id: `direct-${who.id}`, kind: 'direct' },
      members: [who],
      owner,
    })
    const [first] = accounts
    const group: Place = {
      chat: { platform, id: `group-${platform}`, kind: 'group', title: 'Trip' },
      members: [...accounts.map(({ persons }) => persons[platform]), stranger, bot],
      owner: first ?? null,
    }
    return [...accounts.map((account) => direct(account.persons[platform], account)), direct(stranger, null), group]
  })
}

/** A random action of a person in a chat. @param mark the beginning of the message */
export function somethingIn(random: Random, { chat }: Place, mark: string): Happening {
  const chance = random(1000)
  if (chance < 40) return { kind: 'edited' }
  if (chance < 55) return { kind: 'deleted' }
  if (chance < 130)
    return { kind: 'command', name: pick(random, commandNames), argument: pick(random, ['', '20', 'x']) }
  if (chance < 140) return { kind: 'command', name: 'link', argument: pick(random, ['', 'ABCD2345', 'nonsense']) }
  if (chance < 142) return { kind: 'removed' }
  const addressed = chat.kind === 'direct' || random(3) > 0
  const file = { ref: `${mark} ${random(4) === 0 ? 'broken' : 'fine'}`, name: 'a.txt', type: 'text/plain', bytes: 3 }
  return { kind: 'message', text: askedText(random, mark), files: random(20) === 0 ? [file] : [], addressed }
}

const commandNames = ['status', 'help', 'stop', 'stop', 'pause', 'resume', 'balance', 'topup', 'dance'] as const

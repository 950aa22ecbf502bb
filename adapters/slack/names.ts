/** Names of a workspace's people by id: messages contain only ids. */
import { type ChatPlatform, PlatformError } from '../../app/ports/chat-platform.ts'
import { oneLine } from '../../domain/channels/pointed.ts'
import { cut } from '../../domain/text.ts'
import { hourMs } from '../../domain/time.ts'
import type { SlackApi } from './api.ts'
import { placeOf } from './fields.ts'

/** Size of the cache; the oldest name is dropped first. */
const mostKept = 1_000
const freshMs = hourMs
const nameCharacters = 80

export function slackNames(api: SlackApi): Required<Pick<ChatPlatform, 'namesOf'>> {
  const kept = new Map<string, { name: string; atMs: number }>()

  const nameOf = async (team: string, user: string): Promise<string> => {
    const key = `${team}/${user}`
    const known = kept.get(key)
    if (known && Date.now() - known.atMs < freshMs) return known.name
    const { user: found } = await api.call(team, (client) => client.users.info({ user }))
    const name = found?.profile?.display_name || found?.profile?.real_name || found?.real_name || found?.name || ''
    kept.delete(key)
    const [oldest] = kept.keys()
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
    kept.set(key, { name: cut(oneLine(name), nameCharacters), atMs: Date.now() })
    return kept.get(key)?.name ?? ''
  }

  return {
    async namesOf(chat, ids) {
      const { team } = placeOf(chat)
      const found = new Map<string, string>()
      for (const id of ids) {
        try {
          const name = await nameOf(team, id)
          if (name !== '') found.set(id, name)
        } catch (error) {
          if (!(error instanceof PlatformError)) throw error
          // Skip an unknown id, but stop if Slack does not answer.
          if (error.reason !== 'refused') break
        }
      }
      return found
    },
  }
}

import * as z from 'zod'
import type { SlackTeams } from '../../../app/channels/slack-ports.ts'
import { decryptAll, encryptAll, encrypted } from '../../aws/data-keys.ts'
import type { Env } from '../../env.ts'
import { get, put, removed } from '../calls.ts'
import { parse, toItem } from '../item.ts'

const stored = z.object({
  teamId: z.string(),
  name: z.string(),
  botUserId: z.string(),
  installerId: z.string(),
  userId: z.string(),
  installedAt: z.string(),
  sealed: encrypted,
})

const keyOf = (teamId: string) => ({ id: `slack-team#${teamId}`, item: 'team' })

/** Workspaces, each with its token under a data key of its own. */
export const slackTeams = (env: Env): SlackTeams => {
  const table = () => env.table('channels')
  return {
    async find(teamId) {
      const key = keyOf(teamId)
      const item = await get(table(), key)
      if (!item) return null
      const { sealed, ...team } = parse(stored, item)
      const { token = '' } = await decryptAll(env, key.id, { token: sealed })
      return { ...team, token }
    },

    async save(team, token) {
      const key = keyOf(team.teamId)
      const { token: sealed } = await encryptAll(env, key.id, { token })
      await put(table(), toItem({ ...key, ...team, sealed }))
    },

    async forget(teamId, at) {
      const values = { ':at': at }
      await removed({ table: table(), key: keyOf(teamId), condition: '#installedAt <= :at', values })
    },
  }
}

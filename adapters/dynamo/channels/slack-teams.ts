import * as z from 'zod'
import type { SlackTeams } from '../../../app/ports/channels.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { decryptAll, encryptAll, encrypted } from '../../aws/data-keys.ts'
import type { Env } from '../../env.ts'
import { get, put, removed } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse, toItem } from '../item.ts'

const stored = z.object({
  teamId: z.string(),
  name: z.string(),
  botUserId: z.string(),
  installerId: z.string(),
  installedAt: timestamp,
  token: encrypted,
})

const keyOf = (teamId: string) => ({ id: `slack-team#${teamId}`, item: 'team' })

/** The encryption context of the token: the workspace, in place of a user. */
const ownerOf = (teamId: string): string => keyOf(teamId).id

export const slackTeams = (env: Env): SlackTeams => ({
  async find(teamId) {
    const item = await get(env.table('channels'), keyOf(teamId))
    if (!item) return null
    const { token, ...team } = parse(stored, item)
    const open = await decryptAll(env, ownerOf(teamId), { token })
    return { ...team, token: open.token ?? '' }
  },
  async save(team, token) {
    const sealed = await encryptAll(env, ownerOf(team.teamId), { token })
    await put(env.table('channels'), toItem({ ...team, ...keyOf(team.teamId), ...sealed }))
  },
  async forget(teamId, at) {
    const condition = 'attribute_not_exists(#installedAt) OR #installedAt <= :at'
    await removed({
      ...itemAt<keyof typeof stored.shape>(env.table('channels'), keyOf(teamId)),
      condition,
      values: { ':at': at },
    })
  },
})

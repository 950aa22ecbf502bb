import * as z from 'zod'
import { newLinkCode, platformsHere } from '../../app/channels/manage.ts'
import { platformPlace } from '../../domain/channels/platform.ts'
import { iso } from '../../domain/time.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const createLinkCode = operation({
  id: 'createLinkCode',
  summary: 'Get a code to link a chat',
  description: 'Send the code to our bot in a direct chat on one of the platforms within an hour. It links one chat.',
  http: { method: 'POST', path: '/channels/codes', status: 201 },
  auth: 'session',
  recentSignIn: true,
  creates: true,
  output: z.object({
    code: z.string().meta({ example: 'K7MWQ4ZX' }),
    expiresAt: timestamp,
    platforms: z.array(platformPlace),
  }),
  commits: true,
  uses: { channelLinks: 'write', telegram: 'read', slack: 'read', discord: 'read' },
  run: async ({ actor: { userId }, deps, now, outboxFor }) => {
    const here = await platformsHere(deps)
    const { code, untilMs } = await newLinkCode(deps, userId, now, outboxFor(userId))
    const places = here.map((place) => ({ ...place, startUrl: place.startUrl.replace('{code}', code) }))
    return { code, expiresAt: iso(untilMs), platforms: places }
  },
})

import * as z from 'zod'
import { platformsHere } from '../../app/channels/manage.ts'
import { link, showLinks } from '../../domain/channels/link.ts'
import { platformPlace } from '../../domain/channels/platform.ts'
import { operation } from '../kit/operation.ts'

export const listChannels = operation({
  id: 'listChannels',
  summary: 'List the linked chats on other platforms',
  http: { method: 'GET', path: '/channels' },
  auth: 'user',
  scope: 'api:channels',
  output: z.object({
    channels: z.array(link).meta({ description: 'Oldest first.' }),
    platforms: z.array(platformPlace).meta({ description: 'Where chats can be linked.' }),
  }),
  uses: { channelLinks: 'read', telegram: 'read', slack: 'read', discord: 'read' },
  run: async ({ actor, deps }) => {
    const [links, here] = await Promise.all([deps.channelLinks.list(actor.userId), platformsHere(deps)])
    return {
      channels: showLinks(links),
      platforms: here.map((place) => ({ ...place, startUrl: place.startUrl.replace(/\?start=\{code\}$/, '') })),
    }
  },
})

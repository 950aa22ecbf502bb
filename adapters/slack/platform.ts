import type { SlackTeams } from '../../app/ports/channels.ts'
import type { ChatPlatform } from '../../app/ports/chat-platform.ts'
import { originOf, slackApi } from './api.ts'
import { placeOf } from './fields.ts'
import { slackFiles } from './files.ts'
import { appName } from './manifest.ts'
import { slackMessages } from './messages.ts'
import { slackNames } from './names.ts'
import { readRequest } from './read.ts'
import { responder } from './responses.ts'
import type { SlackSecret } from './secret.ts'

export function slackPlatform(
  readSecret: () => Promise<SlackSecret>,
  teams: Pick<SlackTeams, 'find' | 'forget'>,
): ChatPlatform {
  const api = slackApi(readSecret, teams)
  return {
    ...slackMessages(api, responder(readSecret)),
    ...slackFiles(api, readSecret),
    ...slackNames(api),
    async about() {
      const secret = await readSecret()
      if (secret.signingSecret === '' || secret.clientId === '') return null
      const startUrl = new URL('/app_redirect', originOf(secret))
      startUrl.searchParams.set('app', secret.appId)
      return { name: `@${appName}`, startUrl: startUrl.href }
    },
    read: async (request, nowMs) => readRequest(request, await readSecret(), nowMs),
    async ownsChat(chat, personId) {
      const { team, channel } = placeOf(chat)
      const [home, user = ''] = personId.split('/')
      if (home !== team || channel === '') return false
      const found = await api.call(team, (client) => client.conversations.info({ channel }))
      if (found.channel?.creator === user) return true
      const { user: seen } = await api.call(team, (client) => client.users.info({ user }))
      return Boolean(seen?.is_admin || seen?.is_owner || seen?.is_primary_owner)
    },
    async forget(chat, at) {
      const { team, channel } = placeOf(chat)
      if (channel === '') await teams.forget(team, at)
    },
  }
}

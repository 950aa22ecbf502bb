import { findById } from '../../kit/records.ts'
import { required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { channelOf, type Method } from './method.ts'

export const workspaceMethods: Record<string, Method> = {
  'auth.test': {
    tier: 'none',
    run: (_, team, { app }) => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      user: 'app',
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
      app_id: app.appId,
      is_enterprise_install: false,
    }),
  },
  'auth.revoke': {
    tier: 'none',
    run(_, team, { store, events }) {
      events.revoked(team)
      team.token = null
      store.save()
      return { revoked: true }
    },
  },
  'users.info': {
    tier: 4,
    run(given, team, { store }) {
      const user = findById(store.value.users, required(given, 'user'))
      if (!user || user.teamId !== team.id) throw new SlackError('user_not_found')
      const { id, teamId: team_id, name, isBot: is_bot, isAdmin: is_admin, isOwner: is_owner } = user
      const profile = { real_name: name, display_name: name }
      return {
        user: {
          id,
          team_id,
          name,
          real_name: name,
          profile,
          deleted: false,
          is_bot,
          is_admin,
          is_owner,
          is_primary_owner: is_owner,
        },
      }
    },
  },
  'assistant.threads.setStatus': {
    tier: 4,
    run(given, team, context) {
      const channel = channelOf(context, team, given, 'channel_id')
      const thread = required(given, 'thread_ts')
      if (!/^\d{10}\.\d{6}$/.test(thread)) throw new SlackError('invalid_thread_ts')
      const { store } = context
      const text = typeof given.status === 'string' ? given.status : ''
      if (text === '') store.statuses.delete(`${channel.id} ${thread}`)
      else store.statuses.set(`${channel.id} ${thread}`, { text, atMs: store.now() })
      store.version += 1
      return {}
    },
  },
}

/** Slack's app manifest: rights, events and the command. */
import type { AppsManifestCreateArguments } from '@slack/web-api'

type Manifest = AppsManifestCreateArguments['manifest']
type Scope = NonNullable<NonNullable<NonNullable<Manifest['oauth_config']>['scopes']>['bot']>[number]
type Event = NonNullable<NonNullable<NonNullable<Manifest['settings']>['event_subscriptions']>['bot_events']>[number]

export const botScopes: Scope[] = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'mpim:history',
  'mpim:read',
  'users:read',
]

const botEvents: Event[] = [
  'app_mention',
  'app_uninstalled',
  'channel_deleted',
  'channel_left',
  'group_deleted',
  'group_left',
  'member_left_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'tokens_revoked',
]

export const appName = 'Berth'

/** The single command, because Slack reserves `/status` and others. Its first word is one of our commands. */
export const ownCommand = '/berth'

/** The page for the return from Slack. */
export const redirectUri = (publicOrigin: string): string => `${publicOrigin}/connect/slack`

export const manifest = (webhookUrl: string, publicOrigin: string): Manifest => ({
  display_information: { name: appName, description: 'Your own agent, in Slack.' },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: appName, always_online: true },
    slash_commands: [
      {
        command: ownCommand,
        url: webhookUrl,
        description: 'Ask your agent how it is, pause it, and more',
        usage_hint: 'help | status | pause | resume | balance | topup | stop',
        should_escape: false,
      },
    ],
  },
  oauth_config: { redirect_urls: [redirectUri(publicOrigin)], scopes: { bot: botScopes } },
  settings: {
    event_subscriptions: { request_url: webhookUrl, bot_events: botEvents },
    interactivity: { is_enabled: true, request_url: webhookUrl },
    org_deploy_enabled: false,
    socket_mode_enabled: false,
    token_rotation_enabled: false,
  },
})

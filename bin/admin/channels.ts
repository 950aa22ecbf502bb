import { channels as changeChannels } from '../channels/command.ts'
import type { Command } from './command.ts'

export const channels: Command = {
  usage: [
    [
      'channels setup  <platform>',
      'telegram: registers the webhook and the commands with TELEGRAM_BOT_TOKEN from the environment, and writes the stage’s secret',
    ],
    [
      '',
      'slack: prints the manifest of the app, or creates the app with SLACK_APP_CONFIG_TOKEN; writes SLACK_APP_ID, _CLIENT_ID, _CLIENT_SECRET, _SIGNING_SECRET',
    ],
    [
      '',
      'discord: registers the address and the commands with DISCORD_BOT_TOKEN, writes the secret, and prints the link that adds the bot to a server',
    ],
    ['channels doctor [platform]', 'checks the setup; with --chat <id> also sends a test message to that chat'],
  ],
  run: ({ options: { origin, chat }, secrets }, words) => changeChannels(words, { origin, chat }, secrets),
}

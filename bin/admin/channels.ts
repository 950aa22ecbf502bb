import { channels as changeChannels } from '../channels/command.ts'
import type { Command } from './command.ts'

export const channels: Command = {
  usage: [
    [
      'channels setup  <platform>',
      'telegram: registers webhook and commands there with TELEGRAM_BOT_TOKEN of the environment, and writes the stage’s secret',
    ],
    [
      '',
      'slack: prints the manifest of its app; with SLACK_APP_CONFIG_TOKEN makes it; writes SLACK_APP_ID, _CLIENT_ID, _CLIENT_SECRET, _SIGNING_SECRET',
    ],
    [
      '',
      'discord: registers address and commands with DISCORD_BOT_TOKEN, writes the secret, prints the link that adds the bot to a server',
    ],
    ['channels doctor [platform]', 'whether all is as it should be; --chat <id>: where to send a message to'],
  ],
  run: ({ options: { origin, chat }, secrets }, words) => changeChannels(words, { origin, chat }, secrets),
}

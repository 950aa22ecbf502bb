import type { Platform } from './platform.ts'

export const commands = [
  { name: 'status', does: 'How the machine and the wallet are' },
  { name: 'pause', does: 'Stop the machine; its volume is kept' },
  { name: 'resume', does: 'Start the machine again' },
  { name: 'stop', does: 'Stop the answer that is under way' },
  { name: 'balance', does: 'Get the wallet’s balance', money: true },
  { name: 'topup', does: 'Get a page on which to top up, e.g. /topup 20', money: true },
  { name: 'link', does: 'Link this chat with a code of the dashboard' },
  { name: 'unlink', does: 'Unlink this chat' },
  { name: 'help', does: 'This list' },
] as const satisfies readonly { name: string; does: string; money?: true }[]

export type CommandName = (typeof commands)[number]['name']

/** Commands about money are answered in direct chats only. */
export const isAboutMoney = (name: CommandName): boolean =>
  commands.some((command) => command.name === name && 'money' in command)

/** Slack gives an app only one command of its own. */
const prefixes: Readonly<Record<Platform, string>> = { telegram: '/', slack: '/berth ', discord: '/' }

/** Writes the commands that a text names as they are typed there. */
export const commandsAs = (platform: Platform, line: string): string =>
  line.replace(/(?<=^|\s)\/(\w+)/g, (word, name) => (commandOf(name) ? `${prefixes[platform]}${name}` : word))

const aliases: ReadonlyMap<string, CommandName> = new Map([['start', 'link']])

export function commandOf(name: string): CommandName | null {
  const known = name.toLowerCase()
  return commands.find((command) => command.name === known)?.name ?? aliases.get(known) ?? null
}

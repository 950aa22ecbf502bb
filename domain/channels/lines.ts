import type { Outcome } from '../chat/message.ts'
import { type Remedy, remedyPages } from '../chat/remedy.ts'
import type { Code } from '../errors.ts'
import { type CommandName, commands } from './commands.ts'

export const lines = {
  stranger: (origin: string) =>
    `This is an agent’s chat, and it is not linked to an account. To talk to yours, sign in at ${origin}/connect?tab=channels and send me the code that it shows.`,
  /** @param account its masked address; only in a direct chat */
  linked: (origin: string, account?: string) =>
    account
      ? `This chat is linked now, to the account ${account}, which gets what you write here. Not yours? Send /unlink. Else write to me, or send /help. You can unlink it at ${origin}/connect?tab=channels, too.`
      : `This chat is linked now. Write to me here, or send /help. You can unlink it here with /unlink, or at ${origin}/connect?tab=channels.`,
  shownCode: (origin: string) =>
    `Others here have seen that code, so it is no longer good. A group is linked without one, by whoever owns it; for a direct chat get a new one at ${origin}/connect?tab=channels.`,
  linkedAlready: 'This chat is linked already. Send /unlink first to link it to another account.',
  badCode: (origin: string) => `That code is wrong, used or too old. Get a new one at ${origin}/connect?tab=channels.`,
  tooManyGuesses: 'Too many wrong codes. Try again in an hour.',
  tooManyLinks: 'There is no room for this chat: unlink another one first, or get a new code.',
  sendCode: (origin: string) => `Send /link and the code that ${origin}/connect?tab=channels shows.`,
  groupOwner: 'Only its owner can link a group, after linking a direct chat with me.',
  unlinked: 'This chat is no longer linked.',
  edited: 'An edit is not read again. Send it as a new message.',
  flood: 'That was more than I take at once. Wait a minute; what came in between was left out.',
  groupFlood:
    'More is written here than I take at once, so the agent misses some of it. The person whom this chat is linked to is still answered.',
  tooLong: (most: number) => `That is too long for one message: ${most} characters at most. Send it as a file.`,
  file: (name: string) => `“${name}” could not be taken: it is too large, empty or gone. Its message was not sent on.`,
  noAgent: (origin: string) => `There is no agent to answer yet. Choose a plan at ${origin}/billing.`,
  onTrial: (origin: string) =>
    `A trial answers in the dashboard alone, at ${origin}. With a plan your agent answers here, too: ${origin}/billing.`,
  unpaid: ({ error, message }: { error: Code; message: string }) =>
    `${error === 'wallet-suspended' ? 'Your message is kept.' : 'Your message is kept until money comes in.'} ${message}`,
  remedy: {
    'top-up': (origin: string) => `Top up: ${origin}${remedyPages['top-up']}`,
    'raise-limit': (origin: string) => `Raise the limit: ${origin}${remedyPages['raise-limit']}`,
  } satisfies Record<Remedy, (origin: string) => string>,
  waking: 'Waking up …',
  unknownCommand: 'I do not know that command. Send /help for those I know.',
  directOnly: 'That is answered in a direct chat only.',
  nothingToStop: 'Nothing is being answered here.',
  stopping: 'Stopped. Spending until then is charged.',
  answered: (label: string) => `Answered: ${label}`,
  expired: 'It has expired.',
  balance: (amount: string) => `The wallet holds ${amount}.`,
  suspendedBalance: (amount: string, why: string) => `The wallet holds ${amount}. ${why}`,
  answeredBefore: 'That was answered before, or it has expired.',
  answerThere: (origin: string) => `Answer it at ${origin}.`,
  topUp: (amount: string, url: string) => `Add ${amount} here: ${url}`,
  topUpAmount: 'Send the amount in dollars, from 5 to 500: /topup 20',
} as const

export const helpText = (origin: string): string =>
  [
    'Write to me, and your agent answers. I also know:',
    ...commands.map(({ name, does }: { name: CommandName; does: string }) => `- /${name}: ${does}`),
    `More at ${origin}`,
  ].join('\n')

const endings: Readonly<Record<Outcome, (origin: string) => string>> = {
  stopped: () => '(stopped)',
  failed: (origin) => `(no answer came: see ${origin}/instance, then write again)`,
  needs_input: (origin) => `(your agent needs something of you first: see ${origin})`,
  completed: () => '(nothing more to say)',
}

/** Replaces an answer that began, or was awaited, and never came. */
export function endedText(outcome: Outcome, draft: string | undefined, origin: string): string {
  const begun = draft === undefined || draft === lines.waking ? '' : `${draft}\n\n`
  return `${begun}${endings[outcome](origin)}`
}

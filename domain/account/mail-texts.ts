import type { MailedSecrets } from './sign-in-limits.ts'

interface MailText {
  subject: string
  text: string
}

/** Mails say what happened, and what to do when it was not you. */
const mail = (subject: string, ...paragraphs: string[]): MailText => ({ subject, text: `${paragraphs.join('\n\n')}\n` })

export const signInMail = ({ code, token }: MailedSecrets, email: string, origin: string): MailText =>
  mail(
    code ? `${code} is your Berth sign-in code` : 'Your Berth sign-in link',
    code
      ? `Your sign-in code is ${code}. It is good for 10 minutes, in the browser that asked for it.`
      : 'Several codes were asked for with your address today and not used, so this mail has a link alone.',
    `${code ? 'Or open' : 'Open'} this link in the browser you want to sign in with. It is good for an hour, whoever asked for this mail:`,
    `${origin}/sign-in#token=${token}&email=${encodeURIComponent(email)}`,
    'Each works once. If you did not ask for this, ignore the mail: nobody can sign in without it. Never give the code or the link to anybody.',
  )

export const confirmEmailChangeMail = (code: string, newEmail: string, to: 'old' | 'new'): MailText =>
  mail(
    'Confirm the new address of your Berth account',
    to === 'old'
      ? `Somebody signed in to your account asked to move it to ${newEmail}. To agree, enter this code on the account page:`
      : 'Somebody asked to make this the address of their Berth account. To agree, enter this code on the account page:',
    code,
    to === 'old'
      ? 'It is good for 10 minutes. If it was not you, do not use the code, and sign out devices you do not know on the account page.'
      : 'It is good for 10 minutes. If it was not you, ignore this mail.',
  )

export const emailChangedMail = (newEmail: string): MailText =>
  mail(
    'The address of your Berth account has changed',
    `Your account now belongs to ${newEmail}. Sign-in codes go there from now on. All other devices are signed out.`,
    'Both addresses confirmed this. If it was not you, answer this mail at once.',
  )

export const tokenLeakedMail = (name: string, prefix: string, origin: string): MailText =>
  mail(
    `Your Berth token “${name}” was found in public and is revoked`,
    `Somebody reported the full text of your token “${name}” (${prefix}…). It has been revoked, so nobody can use it any more, and every token that belongs to it is revoked with it.`,
    `What to do: look at what it was used for (${origin}/wallet, ${origin}/account), remove it from where it was found, and make a new token at ${origin}/tokens for the program that used it.`,
  )

export const passkeyAddedMail = (name: string, origin: string): MailText =>
  mail(
    'A passkey was added to your Berth account',
    `The passkey “${name}” can now sign in to your account.`,
    `If it was not you, remove it at ${origin}/account and sign out devices you do not know.`,
  )

export const erasureScheduledMail = (eraseAt: string, origin: string): MailText =>
  mail(
    'Your Berth account will be deleted',
    `You asked us to delete your account. Every device is signed out, all tokens are revoked and your agent is stopped. On ${eraseAt.slice(0, 10)} your data is erased for good: conversations, the agent’s files, tokens, passkeys and your address. What is left in the wallet cannot be used after that day, and nothing is charged any more. The ledger is kept without your name, as the law asks.`,
    `Changed your mind? Sign in at ${origin} before that day and the account stays. If it was not you who asked, sign in now.`,
  )

export const erasureCanceledMail = (origin: string): MailText =>
  mail(
    'Your Berth account stays',
    'You signed in, so your account will not be deleted. Tokens that were revoked stay revoked; make new ones where you need them. Automatic top-ups are off, and a subscription ends with its period unless you keep it on the billing page.',
    `If it was not you, sign out that device at ${origin}/account.`,
  )

export type MadeCredential =
  | 'token'
  | 'app'
  | 'hook'
  | 'hook-secret'
  | 'endpoint'
  | 'endpoint-address'
  | 'endpoint-secret'

const madeWords: Record<MadeCredential, { subject: string; text: (name: string) => string; page: string }> = {
  token: {
    subject: 'A token was made for your Berth account',
    text: (name) => `Somebody signed in to your account made the token “${name}”.`,
    page: '/tokens',
  },
  app: {
    subject: 'A program may now use your Berth account',
    text: (name) => `Somebody signed in to your account allowed the program “${name}” to use it.`,
    page: '/tokens',
  },
  hook: {
    subject: 'A hook was made for your Berth agent',
    text: (name) =>
      `Somebody signed in to your account made the hook “${name}”: another program can now ask your agent.`,
    page: '/connect',
  },
  'hook-secret': {
    subject: 'A hook of your Berth agent has a new secret',
    text: (name) => `Somebody signed in to your account replaced the secret of the hook “${name}”.`,
    page: '/connect',
  },
  endpoint: {
    subject: 'Events of your Berth account are sent to a new address',
    text: (name) =>
      `Somebody signed in to your account made the webhook endpoint “${name}”: events of your account are now sent to its address.`,
    page: '/connect?tab=webhooks',
  },
  'endpoint-address': {
    subject: 'A webhook endpoint of your Berth account has another address',
    text: (name) => `Somebody signed in to your account changed the address of the webhook endpoint “${name}”.`,
    page: '/connect?tab=webhooks',
  },
  'endpoint-secret': {
    subject: 'A webhook endpoint of your Berth account has a new secret',
    text: (name) => `Somebody signed in to your account replaced the secret of the webhook endpoint “${name}”.`,
    page: '/connect?tab=webhooks',
  },
}

export function credentialMadeMail(what: MadeCredential, name: string, origin: string): MailText {
  const { subject, text, page } = madeWords[what]
  return mail(
    subject,
    text(name),
    `If it was not you, remove it at ${origin}${page}, and sign out devices you do not know at ${origin}/account.`,
  )
}

export interface MadeByTokens {
  made: Exclude<MadeCredential, 'app'>
  name: string
}

const madeLines: Record<MadeByTokens['made'], string> = {
  token: 'token',
  hook: 'hook',
  'hook-secret': 'new secret of the hook',
  endpoint: 'webhook endpoint',
  'endpoint-address': 'new address of the webhook endpoint',
  'endpoint-secret': 'new secret of the webhook endpoint',
}

const mostListed = 20

export const madeByTokensMail = (all: readonly MadeByTokens[], day: string, origin: string): MailText =>
  mail(
    'Tokens of your Berth account made something new',
    `On ${day} (UTC) tokens of your Berth account made this:`,
    all
      .slice(0, mostListed)
      .map(({ made, name }) => `- ${madeLines[made]} “${name}”`)
      .join('\n') + (all.length > mostListed ? `\n- and ${all.length - mostListed} more` : ''),
    `If no program of yours does that, revoke the token that did it at ${origin}/tokens: all tokens that it made end with it. Remove hooks and webhook endpoints at ${origin}/connect.`,
  )

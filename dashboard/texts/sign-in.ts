import type { ReactNode } from 'react'
import { marked } from './marked.ts'

export const signInTexts = {
  title: 'Sign in',
  lead: 'We mail you a six-digit code. New here? The same code makes your account.',
  email: 'E-mail address',
  badEmail: 'Enter an e-mail address such as ada@example.com.',
  send: 'Send me a code',
  passkey: 'Sign in with a passkey',
  foot: 'Your own agent, with its own machine and a wallet you control.',
  terms: {
    accepts: (version: string) => `By signing in you accept the terms of ${version}.`,
    points: [
      'You are responsible for everything your agent does on your behalf, as if you had done it.',
      'It harms nobody: no spam, no phishing, no attacks on others, no trade in what is stolen or forbidden.',
      'Model calls are paid from your wallet as they are used.',
      'We may block a harmful account at once. We keep its data until the case is closed.',
      'You can take your data with you, and delete your account, at any time.',
    ],
  },
  report: 'Report abuse or a security problem',
  code: {
    title: 'Check your mail',
    sent: (email: ReactNode) =>
      marked`We sent a code and a link to ${email}. Enter the code in this browser within ten minutes, or open the link in any browser within an hour. If no new e-mail arrives, the link in the previous one still works.`,
    bounced: (email: ReactNode) =>
      marked`Mails to ${email} came back. We tried once more, but check the spelling. If it is right, that mailbox takes nothing from us: use another address, or a passkey.`,
    label: 'Six-digit code',
    incomplete: 'Enter all six digits of the code.',
    wrong: 'That code is not right, or it has expired. Check it, or ask for a new one.',
    again: 'Send a new code',
    againIn: (seconds: number) => `New code in ${seconds} s`,
    otherAddress: 'Use another address',
  },
  link: {
    opened: (email: ReactNode) => marked`You opened the link mailed to ${email}.`,
    useCode: 'Use a code instead',
  },
}

import type { ReactNode } from 'react'
import { marked } from './marked.ts'

export const trialTexts = {
  title: 'Try it now',
  offer: (credit: string, hours: string) =>
    `${credit} of model calls and a machine for ${hours} hours. No card, no payment.`,
  prompt: 'What should your agent do first?',
  example: 'Plan three days in Lisbon for two, and keep the plan in a file.',
  noPrompt: 'Write what your agent should do first.',
  email: 'Your e-mail address',
  start: 'Try it',
  afterwards: (days: string) =>
    `We mail you a code that makes your account. When time or credit is used up, the machine stops; its files are kept for ${days} days and then deleted. A plan keeps everything.`,
  haveAccount: 'I have an account',
  back: 'Back to the trial',
  usedUp: 'There are no more trials today. Try again after 00:00 UTC, or choose a plan now.',
  starting: 'Your trial begins…',
  notNow: 'You can send your words when you have a plan: they are in the field below.',
  seePlans: 'See the plans',
  tryFirst: 'Try it first',
  going: (left: string, until: string, link: ReactNode) => marked`Trial: ${left} left, until ${until}. ${link}`,
  keepAll: 'A plan keeps everything',
  spent: (link: ReactNode) => marked`The credit of your trial is used up. ${link}`,
  over: (kept: string, link: ReactNode) =>
    marked`Your trial is over. We keep its files until ${kept}, then delete them. ${link}`,
}

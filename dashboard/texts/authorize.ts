import type { ReactNode } from 'react'
import { marked } from './marked.ts'

export const authorizeTexts = {
  title: 'Connect an app',
  refused: 'This app cannot be connected',
  asks: (name: string) => `Connect “${name}”?`,
  /** @param host the program's verified host */
  known: (host: ReactNode, account: ReactNode) => marked`The app at ${host} asks to act for ${account}.`,
  unknown: (name: string, account: ReactNode) =>
    marked`An app that calls itself “${name}” asks to act for ${account}. Nobody has checked that name.`,
  answerTo: (host: ReactNode) => marked`Your answer goes to ${host}. If you did not start this, do not connect it.`,
  may: 'It may',
  noScope: 'Leave at least one, or choose “Do not connect”.',
  lifetime: 'It has to ask again',
  cap: 'Most it may spend, in dollars',
  capHint: 'In all, until it asks again. 0 lets it spend nothing.',
  spendsNothing: 'None of this lets it call models, so it cannot spend from your wallet by itself.',
  decline: 'Do not connect',
  connect: 'Connect',
  ends: 'You can end this at any time on the tokens page.',
}

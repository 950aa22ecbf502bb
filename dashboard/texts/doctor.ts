import type { ReactNode } from 'react'
import { marked } from './marked.ts'

/** Operators read the report, too. */
export const doctorTexts = {
  title: 'Check the connection',
  lead: 'When a program cannot connect to your account, this page finds out where it stops: it goes the same way, hop by hop. It connects itself for a moment, sees your balance and ends the connection again.',
  /** For screen readers, after a step's name. */
  works: 'works',
  fails: 'fails',
  walking: 'Walking…',
  consentNext: 'So far all is well. Next you sign in, if you are not, and let this page see your balance.',
  allWorks: (address: ReactNode) =>
    marked`Every hop works. If a program still cannot connect, it may not follow this way: give it a token, and the address ${address}.`,
  stopsAt: (hop: string) => `It stops at “${hop}”. Send the lines below to whoever runs this service.`,
  report: 'Report',
  reported: { ok: 'ok', failed: 'FAILED' },
  toConsent: 'Go to the consent page',
  start: 'Start',
  startAgain: 'Start again',
  tokens: 'Tokens and connected apps',

  hops: {
    endpoint: { name: 'The endpoint asks who you are', what: 'POST /api/mcp without a token' },
    discovery: { name: 'Discovery', what: 'The metadata of the protected resource' },
    metadata: { name: 'Metadata', what: 'The metadata of the authorization server' },
    registration: { name: 'Registration', what: 'A client of its own for this walk' },
    consent: { name: 'Consent', what: 'What the consent page sent back' },
    token: { name: 'Token', what: 'The code becomes a token' },
    call: { name: 'Tool call', what: 'wallet.balance over MCP' },
    end: { name: 'The end', what: 'The connection of this walk is ended' },
  },
  found: {
    code: 'A code, with our state and the name of who answers',
    token: (seconds: string, scope: string) => `Good for ${seconds} seconds, scope ${scope}`,
    answered: (version: string | undefined) => `Answered by protocol version ${version}`,
    nothingLeft: 'Nothing of it is left',
  },
  wrong: {
    status: (came: number, wanted: number, answer: string) => `${came} instead of ${wanted}: ${answer}`,
    emptyAnswer: 'an empty answer',
    notJson: (type: string, answer: string) => `${type} instead of JSON: ${answer}`,
    noType: 'no content type',
    noField: (name: string) => `The answer has no ${name}.`,
    asksNobody: (status: number) => `It answered ${status} instead of 401.`,
    noMetadata: (challenge: string) => `WWW-Authenticate names no resource_metadata: ${challenge}`,
    noChallenge: 'it is not there',
    otherHost: (url: string) => `It names ${url}, which is another host than this one.`,
    otherResource: (resource: string, own: string) => `It is about ${resource}, not about ${own}.`,
    noServer: 'It names no authorization server.',
    otherIssuer: (issuer: string, expected: string | undefined) => `Its issuer is ${issuer}, not ${expected}.`,
    noPkce: 'It does not offer PKCE with S256.',
    declined: 'You chose not to connect.',
    refused: (error: string) => `It answered ${error}.`,
    otherState: 'The state is not the one that was sent.',
    otherSender: (sender: string | null, issuer: string | undefined) => `It came from ${sender}, not from ${issuer}.`,
    callRefused: (answer: string) => `It was refused: ${answer}`,
    stillGood: (status: number) => `Its token is still good: ${status} instead of 401.`,
  },
}

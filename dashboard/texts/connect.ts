import type { ReactNode } from 'react'
import { marked } from './marked.ts'

export const connectTexts = {
  title: 'Connect',
  parts: 'What to connect',
  tabs: { clients: 'MCP clients', channels: 'Chats', webhooks: 'Webhooks' },
  clients: {
    lead: 'Your account as tools, in the program you work in: look after your agent, its money and its skills from there.',
    check: 'A program cannot connect? Check the connection',
    all: 'All tokens and apps',
    other: 'Any other client',
    otherHint: 'Give it this address. It opens the browser, and you say there what it may do.',
    hints: {
      'claude-code': 'Paste this into a terminal. The browser opens, and you say there what it may do.',
      claude: 'On the web, on the desktop and on phones: added once, it is there everywhere.',
      chatgpt: 'On that page: plus, “Add custom MCP server”, this address, and OAuth.',
      cursor: 'Cursor opens and asks; then it opens the browser, and you say there what it may do.',
      vscode: 'VS Code opens and asks; then it opens the browser, and you say there what it may do.',
      codex: 'Paste this into a terminal. The browser opens, and you say there what it may do.',
    },
    add: (client: string) => `Add to ${client}`,
    open: (client: string) => `Open ${client}`,
    line: 'Line for the terminal',
    address: 'Address',
    settings: 'Settings file',
    notReached: (client: string) =>
      `${client} runs on its provider’s servers, which cannot reach this address. It needs a public https address.`,
  },
  token: {
    instead: 'With a token instead',
    insteadHint: 'For a machine without a browser. The token is shown once, already in its place.',
    mayDo: 'What it may do',
    read: (count: number) => `Look only (${count} tools)`,
    all: (count: number) => `Everything (${count} tools)`,
    make: 'Make token',
    once: 'Use it now: the token in it is shown this once. It is good for 90 days.',
    done: 'Done',
  },
  state: {
    none: 'Not connected',
    waiting: 'Waiting for the first call',
    connected: 'Connected',
    /** Shown when the first call arrives while the user watches. */
    arrived: (client: string) => `${client} is connected.`,
    tools: (count: number) => (count === 1 ? '1 tool' : `${count} tools`),
    lastCall: (ago: ReactNode, by: ReactNode) => marked`last call ${ago} by ${by}`,
    lastCallOf: (ago: ReactNode) => marked`last call ${ago}`,
    noCall: 'no call yet',
    revoke: 'Revoke',
  },
}

import { type Browser, chromium } from 'playwright-core'

/** How long a job waits for what a page is to show, in ms: far longer than it takes, for other work may be beside it. */
export const patienceMs = 60_000

/** Chromium as Debian has it, or the one at `CHROMIUM`; it asks nobody but whom a page names. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

import { type Browser, chromium } from 'playwright-core'

/**
 * The time for which a job waits for a page, in ms: far longer than necessary, since other work may run at the same
 * time.
 */
export const patienceMs = 60_000

/** Debian's Chromium, or the one at `CHROMIUM`; it connects only to hosts that a page names. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

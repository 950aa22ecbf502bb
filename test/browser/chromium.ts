import { type Browser, chromium } from 'playwright-core'

/** Chromium as Debian has it, or the one at `CHROMIUM`; it asks nobody but whom a page names. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

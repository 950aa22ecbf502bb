import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { startChromium } from '../../test/browser/chromium.ts'

/**
 * The Chromium that programs open: a user is signed in there, and presses Connect. @param folder where programs find
 * the browser
 */
export async function openBrowser(folder: string) {
  const { origin, signIn } = await import('../../test/service/client.ts')
  const chromium = await startChromium()
  const context = await chromium.newContext()
  const user = await signIn()
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(user.cookie) ?? []
  await context.addCookies([{ name, value, url: origin }])
  const allow = async (address: string) => {
    const page = await context.newPage()
    await page.goto(address)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.waitForURL((url) => url.origin !== origin, { waitUntil: 'commit' })
    await page.close()
  }
  const server = createServer(async (request, response) => {
    await allow(await readText(request)).catch((error) => console.log(`  the browser: ${error}`))
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const command = join(folder, 'xdg-open')
  writeFileSync(command, `#!/bin/sh\ncurl -s --data-raw "$1" http://127.0.0.1:${port}/ &\n`, { mode: 0o755 })
  const env = { BROWSER: command, PATH: `${folder}:${process.env.PATH}` }
  const close = async () => {
    server.close()
    await chromium.close()
  }
  return { env, user, close }
}

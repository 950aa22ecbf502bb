/**
 * Third-party programs talk to the emulators of chat platforms as they do to the platforms: an emulator that they
 * accept is fit for testing our adapters. `channels:<platform>` runs a single platform.
 */
import { telegram } from './channels/telegram.ts'

const parts: Readonly<Record<string, () => Promise<string[]>>> = { telegram }

const [wanted] = process.argv.slice(2)
for (const [name, prove] of Object.entries(parts)) {
  if (wanted !== undefined && wanted !== name) continue
  for (const line of await prove()) console.log(`${name}: ${line}`)
}

/**
 * Programs that nobody here wrote talk to the emulators of chat platforms as they do to the platforms: what they take for
 * real, our adapters are tested against. `channels:<platform>` runs one alone.
 */
import { telegram } from './channels/telegram.ts'

const parts: Readonly<Record<string, () => Promise<string[]>>> = { telegram }

const [wanted] = process.argv.slice(2)
for (const [name, prove] of Object.entries(parts)) {
  if (wanted !== undefined && wanted !== name) continue
  for (const line of await prove()) console.log(`${name}: ${line}`)
}

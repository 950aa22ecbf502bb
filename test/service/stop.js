import { rm } from 'node:fs/promises'

export default async function stop() {
  const { child, dataDir } = globalThis.berth
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  await rm(dataDir, { recursive: true, force: true })
}

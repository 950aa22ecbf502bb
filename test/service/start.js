import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

/** The operator as whom test/service/operator.test.ts signs in. */
const operator = 'operator@example.com'

/**
 * Starts the service as a user would, on a free port and a fresh data folder, and waits for its last line. A service
 * that BERTH_URL and BERTH_DATA_DIR name is used instead.
 */
export default async function start(_, { testPathIgnorePatterns: ignored = [] } = {}) {
  if (process.env.BERTH_URL) return
  const port = await freePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-test-'))
  const { PATH, HOME, DYNAMODB_ENDPOINT } = process.env
  const env = {
    PATH,
    HOME,
    PORT: String(port),
    DATA_DIR: dataDir,
    // Another template: without the operator's suite, one that is synthesised anyway suffices.
    ...(!ignored.some((pattern) => new RegExp(pattern).test('/test/service/operator.test.ts')) && {
      BERTH_OPERATORS: operator,
    }),
    ...(DYNAMODB_ENDPOINT && { DYNAMODB_ENDPOINT }),
  }
  const child = spawn(process.execPath, ['local/main.ts', '--quiet'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise((_, reject) =>
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`))),
  )
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) if (line.startsWith('Ready on ')) return
  })()
  await Promise.race([ready, exited])
  exited.catch(() => {})
  child.stdout.resume()
  process.env.BERTH_URL = `http://127.0.0.1:${port}`
  process.env.BERTH_DATA_DIR = dataDir
  globalThis.berth = { child, dataDir }
}

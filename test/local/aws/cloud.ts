import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Cloud, type CloudEvent, type CloudOptions, startCloud } from '../../../local/aws/endpoints.ts'

export const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url))

export interface TestCloud {
  cloud: Cloud
  dataDir: string
  events: CloudEvent[]
  /** What an SDK client needs to come here. */
  client(service: string): { endpoint: string; region: string; credentials: Credentials; maxAttempts: number }
  close(): Promise<void>
}
interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

/** A cloud of its own on a fresh folder, or on the one given, whose tasks run `agent.mjs`. */
export async function testCloud(options: Partial<CloudOptions> = {}): Promise<TestCloud> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'berth-cloud-'))
  const events: CloudEvent[] = []
  const cloud = await startCloud({
    log: () => {},
    agentCommand: ({ command }) => ({ file: process.execPath, args: [agent, ...(command ?? [])], cwd: dataDir }),
    onEvent: (event) => events.push(event),
    ...options,
    dataDir,
  })
  return {
    cloud,
    dataDir,
    events,
    client: (service) => ({
      endpoint: cloud.env[`AWS_ENDPOINT_URL_${service}`] ?? '',
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    }),
    async close() {
      await cloud.close()
      if (!options.dataDir) rmSync(dataDir, { recursive: true })
    },
  }
}

/** Waits until `check` answers something truthy, at most `limit` milliseconds. */
export async function until<T>(
  check: () => T | Promise<T>,
  limit = 8_000,
): Promise<Exclude<T, undefined | null | false>> {
  const end = Date.now() + limit
  for (;;) {
    const value = await check()
    // safe because only a truthy value gets here, and those are what the type leaves.
    if (value) return value as Exclude<T, undefined | null | false>
    if (Date.now() > end) throw new Error(`not so within ${limit} ms: ${check}`)
    await sleep(20)
  }
}

/** Whether a process still runs; one that ended and waits to be collected does not. */
export function alive(pid: number): boolean {
  try {
    if (existsSync('/proc/self')) return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

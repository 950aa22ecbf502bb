import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AwsOptions, awsEmulator, type CloudEvent, type RunningAws } from '../emulator.ts'

export const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url))

export interface TestCloud {
  cloud: RunningAws
  stateFolder: string
  events: CloudEvent[]
  /** The options that an SDK client needs for this emulator. */
  client(service: string): { endpoint: string; region: string; credentials: Credentials; maxAttempts: number }
  close(): Promise<void>
}
interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

/** An AWS emulator on a fresh or a given folder, whose tasks run `agent.mjs`. */
export async function testCloud(options: Partial<AwsOptions> = {}): Promise<TestCloud> {
  const stateFolder = options.stateFolder ?? mkdtempSync(join(tmpdir(), 'aws-cloud-'))
  const events: CloudEvent[] = []
  const cloud = await awsEmulator.start({
    log: () => {},
    taskCommand: ({ command }) => ({
      file: process.execPath,
      args: [agent, ...(command ?? [])],
      cwd: stateFolder,
      environment: { APP_MODEL: 'of/image', APP_RUNTIME: 'of-image' },
    }),
    onEvent: (event) => events.push(event),
    ...options,
    stateFolder,
  })
  return {
    cloud,
    stateFolder,
    events,
    client: (service) => ({
      endpoint: cloud.env[`AWS_ENDPOINT_URL_${service}`] ?? '',
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    }),
    async close() {
      await cloud.stop()
      if (!options.stateFolder) rmSync(stateFolder, { recursive: true })
    },
  }
}

/** Whether a process still runs; a zombie does not. */
export function alive(pid: number): boolean {
  try {
    if (existsSync('/proc/self')) return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

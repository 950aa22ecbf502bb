import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compiled } from '../counts.ts'
import { ProtocolServer } from './protocol-server.ts'

const main = fileURLToPath(new URL('../../agent/main.ts', import.meta.url))

export interface Machine {
  child: ChildProcess
  /** Starts the runtime on the supervisor's request; undefined on a machine without an agent. */
  launcher: ChildProcess | undefined
  /** All of its output. */
  output(): string
  runtimePid(): number
  /** Its exit code once it has exited. */
  exited: Promise<number | null>
}

/** A service, a volume and the machines on it; `close` stops all of them. */
export class Bench {
  readonly server = new ProtocolServer()
  readonly volume = mkdtempSync(join(tmpdir(), 'berth-volume-'))
  readonly #machines: Machine[] = []

  async open(): Promise<this> {
    await this.server.start()
    return this
  }

  /**
   * Starts a machine of a new generation as the driver does: with an explicit environment.
   * @param within a command that runs the runtime's container
   */
  start(
    more: Record<string, string> = {},
    { program = main, within = [] }: { program?: string; within?: readonly string[] } = {},
  ): Machine {
    const tokens = this.server.newGeneration()
    const shared = {
      ...compiled,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      BERTH_LAUNCHER: ownAddress(),
      BERTH_LAUNCHER_KEY: randomBytes(24).toString('base64url'),
      ...(more.BERTH_CONTAINER && { BERTH_CONTAINER: more.BERTH_CONTAINER }),
      ...(more.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: more.NODE_COMPILE_CACHE }),
    }
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    const child = spawn(process.execPath, [program], {
      env: {
        ...shared,
        BERTH_API: this.server.api,
        BERTH_SOCKET: this.server.socket,
        BERTH_LLM_TOKEN: tokens.llm,
        BERTH_FILES_TOKEN: tokens.files,
        BERTH_AGENT_TOKEN: tokens.agent,
        BERTH_MODEL: 'default',
        BERTH_VOLUME: this.volume,
        BERTH_BACKOFF_SCALE: '0.01',
        ...more,
      },
      stdio,
    })
    const [launch, ...inside] = within.length > 0 ? [...within, process.execPath] : [process.execPath]
    const launcher = more.BERTH_ROLE
      ? undefined
      : spawn(launch ?? process.execPath, [...inside, join(dirname(program), 'launcher.ts')], { env: shared, stdio })
    let output = ''
    for (const stream of [child.stdout, child.stderr, launcher?.stdout, launcher?.stderr]) {
      stream?.on('data', (part) => {
        output += part
      })
    }
    // A task ends with its supervisor.
    child.once('exit', () => launcher?.kill('SIGTERM'))
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const machine = {
      child,
      launcher,
      exited,
      output: () => output,
      runtimePid: () => Number([...output.matchAll(/"runtime started","pid":(\d+)/g)].at(-1)?.[1] ?? 0),
    }
    this.#machines.push(machine)
    return machine
  }

  async close(): Promise<void> {
    for (const { child, runtimePid, exited } of this.#machines) {
      child.kill('SIGKILL')
      await exited
      if (runtimePid() > 0 && isAlive(runtimePid())) await until(() => !isAlive(runtimePid()))
    }
    // Child processes of a runtime can outlive it.
    for (const pid of processesOf(this.volume)) process.kill(pid, 'SIGKILL')
    await this.server.stop()
    rmSync(this.volume, { recursive: true, force: true })
  }
}

/** A loopback address that no other machine uses: in the cloud each machine has its own 127.0.0.1. */
const ownAddress = (): string =>
  process.platform === 'linux'
    ? `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}:4600`
    : `127.0.0.1:${10_000 + (randomBytes(2).readUInt16BE() % 20_000)}`

/** Processes that were started on a volume and still run; known on Linux only. */
export function processesOf(volume: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !isAlive(Number(name))) return []
    try {
      return readFileSync(`/proc/${name}/environ`, 'utf8').includes(`=${volume}`) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

/** False for a process that has ended, including a zombie. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Waits until a condition holds. @throws after a minute, or after `mostMs` */
export async function until<T>(check: () => T | Promise<T>, what = 'it', mostMs = 60_000): Promise<T> {
  for (const end = Date.now() + mostMs; ; await sleep(20)) {
    const result = await check()
    if (result) return result
    if (Date.now() > end) throw new Error(`${what} did not happen within ${mostMs / 1000} seconds`)
  }
}

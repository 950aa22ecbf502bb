import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')

export interface DevCopy {
  url: string
  /** The terminal's output so far. */
  output(): string
  /** Replaces a text in a file; throws if the text is missing. */
  edit(path: string, from: string, to: string): void
  /** Stops it as Ctrl-C does and returns its exit code; throws if one of its processes is left. */
  stop(): Promise<number | null>
}

/** `npm run dev` on a free port, on a copy of the project with its own data. */
export async function startDevCopy(): Promise<DevCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-dev-'))
  const options = { cwd: root, encoding: 'utf8' } as const
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], options).split('\n')
  for (const path of listed.filter((path) => path && !/^(test|bench|proofs|docs)\//.test(path)))
    cpSync(join(root, path), join(folder, path), { force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  // Its own process group shows whether any of its processes is left.
  const child = spawn(process.execPath, ['local/dev.ts', '--quiet'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'exit')
  let output = ''
  const hear = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const group = -(child.pid ?? 0)
  try {
    const ready = () => /Ready on (\S+)/.exec(output)?.[1]
    await until(() => ready() !== undefined || child.exitCode !== null)
    const url = ready()
    if (!url) throw new Error(`npm run dev ended: ${output}`)
    return {
      url,
      output: () => output,
      edit: (path, from, to) => {
        const text = readFileSync(join(folder, path), 'utf8')
        if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
        writeFileSync(join(folder, path), text.replace(from, to))
      },
      stop: async () => {
        child.kill('SIGINT')
        const [code] = await exited
        await until(() => !isAlive(group))
        rmSync(folder, { recursive: true, force: true })
        return code
      },
    }
  } catch (error) {
    if (isAlive(group)) process.kill(group, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Retries until the answer is true; returns the time that this took, in milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<number> {
  const startedMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs) throw new Error(`not so within ${withinMs} ms: ${holds}`)
    await sleep(20)
  }
  return performance.now() - startedMs
}

/** The messages that Vite sends to an open page, as text; the socket is open when this resolves. */
export async function hotUpdates(url: string): Promise<{ heard: string[]; close(): void }> {
  const client = await (await fetch(`${url}/@vite/client`)).text()
  const token = /wsToken = "([^"]+)"/.exec(client)?.[1] ?? ''
  const socket = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  const heard: string[] = []
  socket.addEventListener('message', ({ data }) => heard.push(String(data)))
  await until(() => heard.some((text) => text.includes('connected')))
  return { heard, close: () => socket.close() }
}

function isAlive(group: number): boolean {
  try {
    process.kill(group, 0)
    return true
  } catch {
    return false
  }
}

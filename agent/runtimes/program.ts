import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseObject } from '../json.ts'
import { cutStart } from '../text.ts'
import { StateFolder } from '../volume/state-folder.ts'

/** From SIGTERM to SIGKILL, ms. */
const graceMs = 2_000
const maxSaidCharacters = 8_000

/** The prompt for which programs are run, told to the command `berth`. */
export const promptUnderWay = new AsyncLocalStorage<string>()

export interface Run {
  command: string
  args: string[]
  /** Variables in addition to the runtime's own. */
  env: Record<string, string>
  /** Where the program's number is kept while it runs. */
  folder: string
  /** All of its standard input; nothing when left out. */
  input?: string
  /** Ends it, with all that it started. */
  stopped: AbortSignal
  /** Each line of its standard output. */
  line(text: string): void
}

/** Runs a program to its end. @returns its exit code and what it last said to standard error */
export async function runProgram(run: Run): Promise<{ code: number | null; said: string }> {
  const note = join(run.folder, 'program.pid')
  await mkdir(run.folder, { recursive: true, mode: 0o700 })
  if (run.stopped.aborted) return { code: null, said: '' }
  const promptId = promptUnderWay.getStore()
  const env = { ...process.env, ...(promptId && { BERTH_PROMPT: promptId }), ...run.env, BERTH_PROGRAM: note }
  // A group of its own: what it started for its tools ends with it.
  const child = spawn(run.command, run.args, {
    env,
    detached: true,
    stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // One that ends before it has read all of it says so by its exit code.
  child.stdin?.on('error', () => {}).end(run.input)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const { pid } = child
  let said = ''
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    said = cutStart(said + part, maxSaidCharacters)
  })
  // Not `readline`, which would split a line at other characters than the line feed.
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(run.line)
  })
  let killer: NodeJS.Timeout | undefined
  const stop = () => {
    signalGroup(pid, 'SIGTERM')
    killer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs)
  }
  run.stopped.addEventListener('abort', stop)
  try {
    if (pid !== undefined) {
      await rm(note, { recursive: true, force: true })
      await writeFile(note, String(pid), { flag: 'wx', mode: 0o600 })
    }
    const code = await exited
    if (rest) run.line(rest)
    return { code, said }
  } finally {
    run.stopped.removeEventListener('abort', stop)
    clearTimeout(killer)
    signalGroup(pid, 'SIGKILL')
    await rm(note, { force: true })
  }
}

/**
 * Ends the program that runs, or that a runtime before this one left behind when it was killed; at once, before anybody
 * hears of it.
 */
export function endProgram(folder: string): void {
  const note = join(folder, 'program.pid')
  const pid = isFile(note) ? Number(readIfThere(note)) : 0
  const environment = pid > 0 ? readIfThere(`/proc/${pid}/environ`) : ''
  // The number may be another program's by now.
  if (environment.split('\0').includes(`BERTH_PROGRAM=${note}`)) signalGroup(pid, 'SIGKILL')
  rmSync(note, { recursive: true, force: true })
}

/** Reading a pipe would wait for ever. */
const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Writes a file of the volume whole or not at all, and follows no link on the way. */
export async function writeWhole(volume: string, path: string, content: object | string): Promise<void> {
  const names = relative(volume, path).split('/')
  const folder = new StateFolder(volume, ...names.slice(0, -1))
  await folder.replace(names.at(-1) ?? '', typeof content === 'string' ? content : JSON.stringify(content))
}

const sessionsName = 'sessions.json'

/** The programs' own sessions, by conversation. */
export async function openSessions(folder: StateFolder) {
  const known = parseObject<Record<string, string>>(await folder.read(sessionsName))
  return {
    of: (conversation: string): string | null => known[conversation] ?? null,
    async set(conversation: string, session: string | null): Promise<void> {
      if ((known[conversation] ?? null) === session) return
      if (session === null) delete known[conversation]
      else known[conversation] = session
      await folder.replace(sessionsName, JSON.stringify(known))
    },
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseObject } from '../kit/json.ts'
import { cutStart } from '../kit/text.ts'
import { StateFolder } from '../volume/state-folder.ts'

/** From SIGTERM to SIGKILL, ms. */
const graceMs = 2_000
const maxSaidCharacters = 8_000

/** The prompt that the command `berth` acts for. */
export const promptUnderWay = new AsyncLocalStorage<string>()

interface Run {
  command: string
  args: string[]
  env: Record<string, string>
  /** Holds the process id while the program runs. */
  folder: string
  /** Standard input; default: empty. */
  input?: string
  stopped: AbortSignal
  line(text: string): void
}

/** Runs a program to its end. @returns its exit code and the end of its standard error */
export async function runProgram(run: Run): Promise<{ code: number | null; output: string }> {
  const note = join(run.folder, 'program.pid')
  await mkdir(run.folder, { recursive: true, mode: 0o700 })
  if (run.stopped.aborted) return { code: null, output: '' }
  const promptId = promptUnderWay.getStore()
  const env = { ...process.env, ...(promptId && { BERTH_PROMPT: promptId }), ...run.env, BERTH_PROGRAM: note }
  // A process group of its own, so the program's children end with it.
  const child = spawn(run.command, run.args, {
    env,
    detached: true,
    stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // A program that ends before it has read its input reports that by its exit code.
  child.stdin?.on('error', () => {}).end(run.input)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const { pid } = child
  let output = ''
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    output = cutStart(output + part, maxSaidCharacters)
  })
  // Not `readline`, which also splits lines at other characters than the line feed.
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
    return { code, output }
  } finally {
    run.stopped.removeEventListener('abort', stop)
    clearTimeout(killer)
    signalGroup(pid, 'SIGKILL')
    await rm(note, { force: true })
  }
}

/** Ends the running program, or one that a killed runtime left behind; synchronous. */
export function endProgram(folder: string): void {
  const note = join(folder, 'program.pid')
  const pid = isFile(note) ? Number(readIfThere(note)) : 0
  const environment = pid > 0 ? readIfThere(`/proc/${pid}/environ`) : ''
  // The process id may belong to another program by now.
  if (environment.split('\0').includes(`BERTH_PROGRAM=${note}`)) signalGroup(pid, 'SIGKILL')
  rmSync(note, { recursive: true, force: true })
}

/** Reading a pipe would block forever. */
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
    // The group has already ended.
  }
}

/** Writes a file of the volume atomically, and follows no links. */
export async function writeWhole(volume: string, path: string, content: object | string): Promise<void> {
  const names = relative(volume, path).split('/')
  const folder = new StateFolder(volume, ...names.slice(0, -1))
  await folder.replace(names.at(-1) ?? '', typeof content === 'string' ? content : JSON.stringify(content))
}

const sessionsName = 'sessions.json'

/** Session ids by conversation. The supervisor removes those of deleted conversations, so each use reads the file. */
export function openSessions(folder: StateFolder) {
  const read = async () => parseObject<Record<string, string>>(await folder.read(sessionsName))
  return {
    of: async (conversation: string): Promise<string | null> => (await read())[conversation] ?? null,
    async set(conversation: string, session: string | null): Promise<void> {
      const known = await read()
      if ((known[conversation] ?? null) === session) return
      if (session === null) delete known[conversation]
      else known[conversation] = session
      await folder.replace(sessionsName, JSON.stringify(known))
    },
  }
}

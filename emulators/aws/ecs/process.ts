import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { idOf } from '../protocols.ts'
import { apart, type View } from './apart.ts'

export interface Launch {
  taskArn: string
  file: string
  args: string[]
  cwd: string
  environment: Record<string, string>
  /** Standard output and error are appended here. */
  logFile: string
  /** The container's own file system: its home, made for this task and removed with it. */
  scratch: string
  /** Runs it apart from other programs of this host, with this view of its files. */
  view?: View
}

export interface TaskProcess {
  pid: number
  /** A container's exit code: the exit status, or 128 + the signal that ended it. */
  exited: Promise<number>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts the program of a container in a process group of its own. @throws if the program cannot be started. */
export async function launch(options: Launch): Promise<TaskProcess> {
  if (!/^node(\.exe)?$/.test(basename(options.file)))
    throw new Error(`${options.file} is not Node, so nothing would end it with this service`)
  mkdirSync(dirname(options.logFile), { recursive: true })
  mkdirSync(options.scratch, { recursive: true })
  const guard = new URL('./exit-with-parent.mjs', import.meta.url)
  guard.searchParams.set('task', idOf(options.taskArn))
  const log = openSync(options.logFile, 'a', 0o600)
  try {
    const args = [`--import=${guard.href}`, ...options.args]
    const program = options.view ? apart(options.file, args, options.view) : { file: options.file, args }
    const child = spawn(program.file, program.args, {
      cwd: options.cwd,
      detached: true,
      env: {
        PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
        HOME: options.scratch,
        TMPDIR: options.scratch,
        ...options.environment,
      },
      stdio: ['ignore', log, log, 'pipe'],
    })
    return await watch(child, options.scratch)
  } finally {
    closeSync(log)
  }
}

async function watch(child: ChildProcess, scratch: string): Promise<TaskProcess> {
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0))
    child.once('error', reject)
  })
  child.stdio[3]?.on('error', () => {})
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      // The container ends with its first process: whatever that one started goes too.
      signalGroup(pid, 'SIGKILL')
      rmSync(scratch, { recursive: true, force: true })
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
  return {
    pid,
    exited,
    signal: (name) => (name === 'SIGKILL' ? signalGroup(pid, name) : void child.kill(name)),
  }
}

function signalGroup(pid: number, name: 'SIGKILL'): void {
  try {
    process.kill(-pid, name)
  } catch {}
}

/** Kills the process group a task left behind, if that process is truly still this task. Answers whether it was. */
export function killLeftover(pid: number, taskArn: string): boolean {
  if (!commandLine(pid).includes(`task=${idOf(taskArn)}`)) return false
  signalGroup(pid, 'SIGKILL')
  return true
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

import { spawn } from 'node:child_process'
import { cut, cutStart } from '../kit/text.ts'
import { schema, string, type Tool } from './tool.ts'

const maxMs = 120_000
/** Characters kept of each end of the output. */
const half = 15_000

export const shellTool = (workspace: string, environment: Record<string, string>): Tool => ({
  description: 'Runs a shell command in your workspace, for two minutes at most.',
  parameters: schema({ command: string('The command line for /bin/sh.') }),
  run: (args, stop) => runShell(args.text('command'), workspace, environment, stop),
})

/** Runs a command. @returns both ends of its output, and how it ended */
export const runShell = (
  command: string,
  cwd: string,
  environment: Record<string, string>,
  stop?: AbortSignal,
): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let head = ''
    let tail = ''
    let left = 0
    const take = (text: string) => {
      const isBeginning = tail === ''
      const all = (isBeginning ? head : tail) + text
      if (isBeginning) head = cut(all, half)
      const rest = isBeginning ? all.slice(head.length) : all
      tail = cutStart(rest, half)
      left += rest.length - tail.length
    }
    // One decoder per stream: a chunk may end within a character.
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    let because = ''
    const end = (why: string) => () => {
      because = `\n[${why}]`
      killGroup(child.pid)
    }
    const killer = setTimeout(end(`stopped after ${maxMs / 1000} seconds`), maxMs)
    const stopped = end('stopped by the user')
    stop?.addEventListener('abort', stopped, { once: true })
    child.once('error', () => resolve('error: it could not be started'))
    child.once('close', (code, signal) => {
      clearTimeout(killer)
      stop?.removeEventListener('abort', stopped)
      killGroup(child.pid)
      const text = left > 0 ? `${head}\n[${left} characters are left out here]\n${tail}` : head + tail
      resolve(`${text}${because}\n[${signal ? `ended by ${signal}` : `exit code ${code}`}]`)
    })
  })

function killGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {}
}

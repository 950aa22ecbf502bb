import { spawn } from 'node:child_process'
import { schema, string, type Tool } from './tool.ts'

const maxMs = 120_000
const maxOutput = 30_000

export const shellTool = (workspace: string, environment: Record<string, string>): Tool => ({
  description: 'Runs a shell command in your workspace, for two minutes at most.',
  parameters: schema({ command: string('The command line for /bin/sh.') }),
  run: (given, stop) => runShell(given.text('command'), workspace, environment, stop),
})

/** Runs a command; what it printed, its beginning and its end, and how it ended. */
export function runShell(
  command: string,
  cwd: string,
  environment: Record<string, string>,
  stop?: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let head = ''
    let tail = ''
    let left = 0
    const take = (part: Buffer | string) => {
      const text = part.toString()
      const room = maxOutput / 2 - head.length
      head += text.slice(0, Math.max(room, 0))
      const rest = tail + text.slice(Math.max(room, 0))
      tail = rest.slice(-maxOutput / 2)
      left += rest.length - tail.length
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
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
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {}
}

import { spawn } from 'node:child_process'

const maxMs = 120_000
const maxOutput = 30_000

/** Runs a command in the workspace; what it printed, and how it ended. Offered in a container alone. */
export function runShell(command: string, cwd: string, environment: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const take = (part: Buffer) => {
      if (output.length < maxOutput) output += part.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const killer = setTimeout(() => {
      take(Buffer.from(`\n[stopped after ${maxMs / 1000} seconds]`))
      killGroup(child.pid)
    }, maxMs)
    child.once('error', () => resolve('error: it could not be started'))
    child.once('close', (code, signal) => {
      clearTimeout(killer)
      killGroup(child.pid)
      const text = output.length >= maxOutput ? `${output.slice(0, maxOutput)}\n[cut]` : output
      resolve(`${text}\n[${signal ? `ended by ${signal}` : `exit code ${code}`}]`)
    })
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {}
}

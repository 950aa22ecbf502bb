import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A folder of installed programs, which is kept for the next run; their home folder is not kept. */
export function openPrograms(name: string) {
  const folder = join(tmpdir(), `berth-prove-${name}`)
  const inside = (...names: string[]) => join(folder, ...names)
  const close = () => rmSync(inside('home'), { recursive: true, force: true, maxRetries: 3 })
  close()
  mkdirSync(inside('home'), { recursive: true })
  writeFileSync(inside('package.json'), '{ "private": true }')

  /** @throws with the end of the program's output when it fails */
  function install(command: string, args: string[], cwd = folder): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 600_000 })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout?.slice(-500)}${stderr?.slice(-2_000)}`)
    return stdout
  }

  /** @param packages versions by name */
  function npm(packages: Record<string, string>): void {
    install('npm', ['install', '--silent', ...Object.entries(packages).map(([name, version]) => `${name}@${version}`)])
  }

  /**
   * Installs packages into a virtual environment by uv: pip tries versions of packages that contradict each other for
   * more than ten minutes. @returns the version of each package there
   */
  function pypi(packages: string[], venv = 'venv'): Map<string, string> {
    install('python3', ['-m', 'venv', venv])
    install(inside(venv, 'bin/pip'), ['install', '--quiet', 'uv'])
    const python = inside(venv, 'bin/python')
    install(inside(venv, 'bin/uv'), ['pip', 'install', '--quiet', '--python', python, '--upgrade', ...packages])
    const listed: { name: string; version: string }[] = JSON.parse(
      install(inside(venv, 'bin/pip'), ['list', '--format', 'json']),
    )
    return new Map(listed.map(({ name, version }) => [name, version]))
  }

  /**
   * Runs a program to its end; returns its output, even after a failure.
   * @param interrupted when to press Ctrl-C, if at all
   */
  async function output(
    command: string,
    args: string[],
    env: NodeJS.ProcessEnv,
    cwd = folder,
    interrupted?: Promise<unknown>,
  ): Promise<string> {
    const own = { PATH: process.env.PATH, HOME: inside('home'), ...env }
    // A process group of its own, to which a terminal would send the signal.
    const child = spawn(command, args, { cwd, env: own, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const printed = Promise.all([text(child.stdout), text(child.stderr)])
    const stop = (signal: NodeJS.Signals) => {
      try {
        if (child.pid) process.kill(-child.pid, signal)
      } catch {
        // The process has ended by itself.
      }
    }
    const tooLong = setTimeout(stop, 180_000, 'SIGKILL')
    void interrupted?.then(() => stop('SIGINT'))
    const words = (await printed).join('\n')
    clearTimeout(tooLong)
    return words
  }

  /** A program's own imports are next to it. @returns its new path */
  function place(program: string, as = basename(program)): string {
    copyFileSync(program, inside(as))
    return inside(as)
  }

  return { inside, install, npm, pypi, output, place, close }
}

export type Programs = ReturnType<typeof openPrograms>

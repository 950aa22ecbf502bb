import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A folder in which programs are installed and run, with a home of their own. */
export function openPrograms(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `berth-${name}-`))
  const inside = (...names: string[]) => join(folder, ...names)
  mkdirSync(inside('home'))
  writeFileSync(inside('package.json'), '{ "private": true }')

  /** @throws with the program's last words when it fails */
  function install(command: string, args: string[], cwd = folder): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 600_000 })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout?.slice(-500)}${stderr?.slice(-2_000)}`)
    return stdout
  }

  /** @param packages versions by name */
  function npm(packages: Record<string, string>): void {
    install('npm', ['install', '--silent', ...Object.entries(packages).map(([name, version]) => `${name}@${version}`)])
  }

  /** Into a virtual environment. @returns the version of each package there */
  function pypi(packages: string[], venv = 'venv'): Map<string, string> {
    install('python3', ['-m', 'venv', venv])
    install(inside(venv, 'bin/pip'), ['install', '--quiet', ...packages])
    const listed: { name: string; version: string }[] = JSON.parse(
      install(inside(venv, 'bin/pip'), ['list', '--format', 'json']),
    )
    return new Map(listed.map(({ name, version }) => [name, version]))
  }

  /** Runs a program to its end; what it printed, whether or not it went well. */
  async function output(command: string, args: string[], env: NodeJS.ProcessEnv, cwd = folder): Promise<string> {
    const own = { PATH: process.env.PATH, HOME: inside('home'), ...env }
    const done = run(command, args, { cwd, env: own, timeout: 180_000, maxBuffer: 2 ** 26 })
    done.child.stdin?.end()
    return done.then(
      ({ stdout, stderr }) => `${stdout}${stderr}`,
      (failed) => `${failed.stdout}\n${failed.stderr}`,
    )
  }

  /** A program's own imports are found beside it. @returns its new path */
  function place(program: string, as = basename(program)): string {
    copyFileSync(program, inside(as))
    return inside(as)
  }

  const close = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  return { inside, install, npm, pypi, output, place, close }
}

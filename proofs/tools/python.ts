import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A virtual environment outside the project with these packages of PyPI. @returns its folder */
export function pythonWith(name: string, packages: string[]): string {
  const folder = join(tmpdir(), `berth-prove-${name}`)
  const done = [
    ...(existsSync(join(folder, 'bin', 'pip'))
      ? []
      : [spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' })]),
    spawnSync(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages], { stdio: 'inherit' }),
  ]
  if (done.some(({ status }) => status !== 0))
    throw new Error(`${packages.join(', ')} could not be installed: python3 and PyPI are needed`)
  return folder
}

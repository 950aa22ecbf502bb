/** The caller's options, validated before anything starts. */
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { messageOf, StartProblem } from '../kit/problem.ts'
import { type Lock, takeLock } from './lock.ts'

export interface Options {
  /** 0 for any free port. */
  port: number
  dataDir: string
  /** Delete the data in DATA_DIR first. */
  reset: boolean
  quiet: boolean
  /** Print what the template requires and the runner does not support, then exit. */
  explain: boolean
  /** Print all routes, then exit. */
  routes: boolean
  /** Prints a finding. */
  print: (line: string) => void
  /** Prints a finished phase. */
  progress: (line: string) => void
}

export const defaultOptions = (repo: string): Options => ({
  port: defaultPort,
  dataDir: resolve(repo, '.berth'),
  reset: false,
  quiet: false,
  explain: false,
  routes: false,
  print: () => {},
  progress: () => {},
})

const defaultPort = 8787
const flags = ['--reset', '--quiet', '--routes', '--explain']

export function readOptions(args: string[], env: NodeJS.ProcessEnv, repo: string): Options {
  const unknown = args.find((arg) => !flags.includes(arg))
  if (unknown)
    throw new StartProblem(`There is no option ${unknown}: use ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`)
  const port = Number(env.PORT || defaultPort)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartProblem(`PORT is "${env.PORT}": give a number from 1 to 65535, or leave it out for ${defaultPort}`)
  const quiet = args.includes('--quiet')
  const print = (line: string) => console.log(line)
  return {
    port,
    dataDir: resolve(repo, env.DATA_DIR || '.berth'),
    reset: args.includes('--reset'),
    quiet,
    explain: args.includes('--explain'),
    routes: args.includes('--routes'),
    print,
    progress: quiet ? () => {} : print,
  }
}

/** Locks the folder. A reset deletes only `data/` and `logs/`. */
export function claimDataDir({ dataDir, reset }: Options): Lock {
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.W_OK)
    const lock = takeLock(join(dataDir, 'lock'))
    if ('heldBy' in lock) {
      throw new StartProblem(
        `${dataDir} is in use by another Berth (process ${lock.heldBy}): stop it, or set DATA_DIR to another folder`,
      )
    }
    for (const folder of ['data', 'logs']) {
      if (reset) rmSync(join(dataDir, folder), { recursive: true, force: true })
      mkdirSync(join(dataDir, folder), { recursive: true })
    }
    return lock
  } catch (error) {
    if (error instanceof StartProblem) throw error
    throw new StartProblem(
      `DATA_DIR ${dataDir} cannot be written (${messageOf(error)}): set DATA_DIR to a folder of yours`,
    )
  }
}

/** mkdir's `recursive` never returns where the system answers "no such file", as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

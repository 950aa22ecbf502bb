import { dirname, resolve } from 'node:path'

/** The machine's only reader of `process.env`. */
type Source = Readonly<Record<string, string | undefined>>

export const audiences = ['llm', 'files', 'agent'] as const
export type Audience = (typeof audiences)[number]

const roles = ['agent', 'keeper', 'eraser'] as const
export type Role = (typeof roles)[number]

/** The tokens of each role: a keeper spends nothing, an eraser stores nothing. */
const tokensOf: Record<Role, readonly Audience[]> = {
  agent: audiences,
  keeper: ['files', 'agent'],
  eraser: ['agent'],
}

export interface SupervisorSettings {
  /** `agent` runs the agent; a `keeper` sees to the files of an instance that sleeps, an `eraser` to one that is deleted. */
  role: Role
  /** The API root, without a slash at its end. */
  api: string
  /** Those its role is given; the others are empty. */
  tokens: Record<Audience, string>
  model: string
  volume: string
  /** The runtime's command line for /bin/sh; null runs the reference agent. */
  runtime: string | null
  /** Life of a machine token, ms. */
  tokenMs: number
  /** How long a turn may go on after SIGTERM, ms. */
  stopMs: number
  /** The service is reminded of the daily restore point this often, ms; a machine that has just started much sooner. */
  pointMs: number
  /** How long a keeper waits for something more to do, ms. */
  lingerMs: number
  /** PATH of the runtime. */
  path: string
  backoffScale: string | null
  /** Where Node keeps what it compiled: spares the TypeScript reader, 20 MB and 50 ms a process. */
  compileCache: string | null
  /** True in our image, where nothing of the host can be seen. */
  container: boolean
}

export interface RuntimeSettings {
  loopback: string
  loopbackKey: string
  openaiBase: string
  openaiKey: string
  volume: string
  /** Factor on every wait of the recoveries; 1 but for tests. */
  backoffScale: number
  /** What commands get, in our image; null elsewhere: there they would run on somebody's own machine. */
  shell: Record<string, string> | null
}

export class BadEnvironment extends Error {
  override name = 'BadEnvironment'
}

/** @throws BadEnvironment naming the variable, never its value */
export function supervisorSettings(source: Source = process.env): SupervisorSettings {
  const must = reader(source)
  const role = roles.find((one) => one === (source.BERTH_ROLE || 'agent'))
  if (!role) throw new BadEnvironment('BERTH_ROLE is not agent, keeper or eraser')
  const token = (audience: Audience) =>
    tokensOf[role].includes(audience) ? must(`BERTH_${audience.toUpperCase()}_TOKEN`) : ''
  return {
    role,
    api: address(must('BERTH_API'), 'BERTH_API'),
    tokens: { llm: token('llm'), files: token('files'), agent: token('agent') },
    model: source.BERTH_MODEL || 'default',
    volume: resolve(source.BERTH_VOLUME || '/mnt/berth'),
    runtime: source.BERTH_RUNTIME || null,
    tokenMs: positive(source, 'BERTH_TOKEN_SECONDS', 3600) * 1000,
    stopMs: positive(source, 'BERTH_STOP_SECONDS', 50) * 1000,
    pointMs: positive(source, 'BERTH_POINT_SECONDS', 3600) * 1000,
    lingerMs: positive(source, 'BERTH_LINGER_SECONDS', 60) * 1000,
    path: [dirname(process.execPath), source.PATH || '/usr/local/bin:/usr/bin:/bin'].join(':'),
    backoffScale: source.BERTH_BACKOFF_SCALE || null,
    compileCache: source.NODE_COMPILE_CACHE || null,
    container: source.BERTH_CONTAINER === '1',
  }
}

/** @throws BadEnvironment naming the variable, never its value */
export function runtimeSettings(source: Source = process.env): RuntimeSettings {
  const must = reader(source)
  return {
    loopback: address(must('BERTH_LOOPBACK'), 'BERTH_LOOPBACK'),
    loopbackKey: must('BERTH_LOOPBACK_KEY'),
    openaiBase: address(must('OPENAI_BASE_URL'), 'OPENAI_BASE_URL'),
    openaiKey: must('OPENAI_API_KEY'),
    volume: resolve(must('BERTH_VOLUME')),
    backoffScale: positive(source, 'BERTH_BACKOFF_SCALE', 1),
    shell: source.BERTH_CONTAINER === '1' ? shellOf(source) : null,
  }
}

/** The user's variables, a home and a path: nothing that opens the loopback. */
const shellOf = (source: Source): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value === undefined || /^(BERTH_|OPENAI_|ANTHROPIC_|NODE_)/.test(name) ? [] : [[name, value]],
    ),
  )

const reader =
  (source: Source) =>
  (name: string): string => {
    const value = source[name]
    if (!value) throw new BadEnvironment(`${name} is not set`)
    return value
  }

function address(value: string, name: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new BadEnvironment(`${name} is not an http or https address`)
  return value.replace(/\/+$/, '')
}

function positive(source: Source, name: string, otherwise: number): number {
  const value = source[name] ? Number(source[name]) : otherwise
  if (!(value > 0)) throw new BadEnvironment(`${name} is not a number above zero`)
  return value
}

import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Audience } from '../../domain/actor.ts'

/** The machine's only reader of `process.env`. */
type Variables = Readonly<Record<string, string | undefined>>

/** The tokens of each role: a volume worker spends nothing, a volume eraser stores nothing. */
const tokensOf = {
  agent: ['llm', 'files', 'agent'],
  'volume-worker': ['files', 'agent'],
  'volume-eraser': ['agent'],
} as const satisfies Record<string, readonly Audience[]>

const isRole = (name: string): name is keyof typeof tokensOf => Object.hasOwn(tokensOf, name)

export const exits = { drained: 0, failed: 1, superseded: 3 } as const

class BadEnvironment extends Error {
  override name = 'BadEnvironment'
}

export type SupervisorSettings = ReturnType<typeof supervisorSettings>

/** The command line of a runtime's wrapper; undefined if the image lacks it. */
function shippedRuntime(name = ''): string | undefined {
  const wrapper = join(import.meta.dirname, '../runtimes', name, 'main.ts')
  return /^[a-z][a-z0-9-]*$/.test(name) && existsSync(wrapper) ? `node '${wrapper}'` : undefined
}

/** @throws BadEnvironment naming the variable, never its value */
export function supervisorSettings(variables: Variables = process.env) {
  const { text, address, positive } = reader(variables)
  const container = variables.BERTH_CONTAINER === '1'
  const role = variables.BERTH_ROLE || 'agent'
  if (!isRole(role)) throw new BadEnvironment('BERTH_ROLE is not agent, volume-worker or volume-eraser')
  const tokens: Partial<Record<Audience, string>> = Object.fromEntries(
    tokensOf[role].map((audience) => [audience, text(`BERTH_${audience.toUpperCase()}_TOKEN`)]),
  )
  return {
    role,
    api: address('BERTH_API'),
    /** The address of the WebSocket; null if the service has none. */
    socket: variables.BERTH_SOCKET ? address('BERTH_SOCKET', 'ws') : null,
    tokens,
    model: variables.BERTH_MODEL || 'default',
    volume: resolve(variables.BERTH_VOLUME || '/mnt/berth'),
    meeting: meeting(variables),
    launcherKey: role === 'agent' ? text('BERTH_LAUNCHER_KEY') : '',
    /** The runtime's command line for /bin/sh; null runs the reference agent. */
    runtime: variables.BERTH_RUNTIME || shippedRuntime(variables.BERTH_RUNTIME_NAME) || null,
    tokenMs: positive('BERTH_TOKEN_SECONDS', 3600) * 1000,
    /** Grace period of a turn after SIGTERM. */
    stopMs: positive('BERTH_STOP_SECONDS', 50) * 1000,
    /** Report interval of an idle machine. */
    reportMs: positive('BERTH_REPORT_SECONDS', 1200) * 1000,
    /** How long a volume worker waits for another task. */
    lingerMs: positive('BERTH_LINGER_SECONDS', 60) * 1000,
    path: [
      dirname(process.execPath),
      join(import.meta.dirname, '../bin'),
      variables.PATH || '/usr/local/bin:/usr/bin:/bin',
    ].join(':'),
    backoffScale: variables.BERTH_BACKOFF_SCALE || null,
    /** True in our image, which hides the host. */
    container,
    /** Memory of both containers; null where the host's limit applies. */
    memoryBytes: container && variables.BERTH_MEMORY_MIB ? positive('BERTH_MEMORY_MIB', 1) * 2 ** 20 : null,
  }
}

/** @throws BadEnvironment naming the variable, never its value */
export function launcherSettings(variables: Variables = process.env) {
  const role = variables.BERTH_ROLE || 'agent'
  return {
    role,
    meeting: meeting(variables),
    key: role === 'agent' ? reader(variables).text('BERTH_LAUNCHER_KEY') : '',
    container: variables.BERTH_CONTAINER === '1',
    /** Node's compile cache saves 20 MB and 150 ms per process. */
    compileCache: variables.NODE_COMPILE_CACHE || null,
    /** Settings of the memory allocator, which each process reads from its own environment. */
    allocator: Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('MALLOC_'))),
  }
}

/** The containers of a task share 127.0.0.1. */
function meeting({ BERTH_LAUNCHER: address = '127.0.0.1:4600' }: Variables): { host: string; port: number } {
  const [, host = '', port] = /^(127\.\d+\.\d+\.\d+):(\d{1,5})$/.exec(address) ?? []
  if (!port) throw new BadEnvironment('BERTH_LAUNCHER is not an address and port of this machine alone')
  return { host, port: Number(port) }
}

export type RuntimeSettings = ReturnType<typeof runtimeSettings>

export type LoopbackSettings = Pick<RuntimeSettings, 'loopback' | 'loopbackKey' | 'backoffScale'>

/** For the command `berth`. @throws BadEnvironment outside of a machine */
export function commandSettings(variables: Variables = process.env) {
  const { text, address, positive } = reader(variables)
  return {
    loopback: address('BERTH_LOOPBACK'),
    loopbackKey: text('BERTH_LOOPBACK_KEY'),
    backoffScale: positive('BERTH_BACKOFF_SCALE', 1),
    volume: resolve(text('BERTH_VOLUME')),
    /** The prompt under way; null if unknown. */
    promptId: variables.BERTH_PROMPT || null,
  }
}

/** @throws BadEnvironment naming the variable, never its value */
export function runtimeSettings(variables: Variables = process.env) {
  const { text, address, positive } = reader(variables)
  return {
    loopback: address('BERTH_LOOPBACK'),
    loopbackKey: text('BERTH_LOOPBACK_KEY'),
    openaiBase: address('OPENAI_BASE_URL'),
    openaiKey: text('OPENAI_API_KEY'),
    anthropicBase: address('ANTHROPIC_BASE_URL'),
    anthropicKey: text('ANTHROPIC_API_KEY'),
    volume: resolve(text('BERTH_VOLUME')),
    /** Factor of every retry delay; 1 except in tests. */
    backoffScale: positive('BERTH_BACKOFF_SCALE', 1),
    /** The user's variables for commands, without access to the loopback. */
    variables: userVariables(variables),
    /** Commands run only in our image: elsewhere they would run on someone's own machine. */
    runsCommands: variables.BERTH_CONTAINER === '1',
  }
}

const userVariables = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined || /^(BERTH_|OPENAI_|ANTHROPIC_|NODE_)/.test(name) ? [] : [[name, value]],
    ),
  )

function reader(variables: Variables) {
  const text = (name: string): string => {
    const value = variables[name]
    if (!value) throw new BadEnvironment(`${name} is not set`)
    return value
  }
  return {
    text,
    /** Without a trailing slash. */
    address(name: string, scheme: 'http' | 'ws' = 'http'): string {
      const value = text(name)
      if (!URL.canParse(value) || ![`${scheme}:`, `${scheme}s:`].includes(new URL(value).protocol))
        throw new BadEnvironment(`${name} is not an ${scheme} or ${scheme}s address`)
      return value.replace(/\/+$/, '')
    },
    positive(name: string, otherwise: number): number {
      const value = Number(variables[name] || otherwise)
      if (!(value > 0)) throw new BadEnvironment(`${name} is not a number above zero`)
      return value
    },
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepCompiled } from './kit/compile-cache.ts'
import { exits, launcherSettings } from './kit/environment.ts'
import { makeLog, nameOf } from './kit/log.ts'
import { groupUsage, memoryKills } from './kit/usage.ts'
import { hear, mostOrderBytes, type Order, tell } from './launcher/messages.ts'

const patienceMs = 60_000
const retryMs = 25
/** Time for the runtime to end its programs after the supervisor is gone. */
const graceMs = 2_000

/** Entry of the runtime's container: starts and signals the runtime for the supervisor, and ends with it. */
const settings = launcherSettings()
// Without a runtime, the container is not needed.
let end: () => void = () => process.exit(exits.drained)
if (settings.role !== 'agent') end()
// The supervisor drains; this process ends when the supervisor does.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end())

keepCompiled()
try {
  obey(await supervisor())
} catch (thrown) {
  makeLog('launcher')('the supervisor is not there', { because: nameOf(thrown) })
  process.exit(exits.failed)
}

async function supervisor(): Promise<Socket> {
  for (const untilMs = Date.now() + patienceMs; ; await sleep(retryMs)) {
    const socket = connect({ ...settings.meeting, noDelay: true })
    const failed = await new Promise<Error | null>((resolve) => {
      socket.once('connect', () => resolve(null))
      socket.once('error', resolve)
    })
    if (!failed) return socket
    if (Date.now() > untilMs) throw failed
  }
}

function obey(socket: Socket): void {
  let child: ChildProcess | undefined

  function start({ file = '', args = [], environment = {}, cwd = '/' }: Partial<Extract<Order, { kind: 'start' }>>) {
    const killsBefore = memoryKills(settings.container)
    // Standard input is a pipe that closes when this process dies for any reason.
    // The cache's path is this container's: the supervisor's path may not exist here.
    const cache = settings.compileCache && { NODE_COMPILE_CACHE: settings.compileCache }
    const env = { ...environment, ...cache, ...settings.allocator }
    const runtime = spawn(file, args, { cwd, env, stdio: ['pipe', 'inherit', 'inherit'] })
    child = runtime
    const ended = (because: string | number) => {
      if (child !== runtime) return
      child = undefined
      tell(socket, { kind: 'ended', because, outOfMemory: memoryKills(settings.container) > killsBefore })
    }
    runtime.stdin.on('error', () => {})
    runtime.once('spawn', () => tell(socket, { kind: 'started', pid: runtime.pid ?? 0 }))
    runtime.once('exit', (code, signal) => ended(signal ?? code ?? 0))
    runtime.once('error', (error) => runtime.pid === undefined && ended(error.name))
  }

  function orphaned(): void {
    if (!child) process.exit(exits.drained)
    child.once('exit', () => process.exit(exits.drained))
    child.kill('SIGCONT')
    child.stdin?.end()
    setTimeout(() => child?.kill('SIGKILL'), graceMs)
  }

  end = () => {}
  socket.on('error', () => {})
  socket.once('close', orphaned)
  hear<Order>(socket, mostOrderBytes, (order) => {
    if (order.kind === 'start') start(order)
    if (order.kind === 'signal') {
      child?.kill(order.signal)
      tell(socket, { kind: 'signalled' })
    }
    if (order.kind === 'measure')
      void groupUsage(settings.container).then((used) => tell(socket, { kind: 'measured', ...used }))
  })
  tell(socket, { kind: 'launcher', key: settings.key })
}

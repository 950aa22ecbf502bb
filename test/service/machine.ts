import { readdirSync, readFileSync } from 'node:fs'

export interface Machine {
  pid: number
  env: Record<string, string>
}

const readProc = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}

/** The running machines (agent supervisors) of this host whose volume is in a data folder, with their environment. */
export const machines = (dataDir?: string): Machine[] => processesOf('agent/main.ts', dataDir)

/** The containers of their runtimes: the launcher of each, and the process that isolates it. */
export const runtimeContainers = (dataDir?: string): Machine[] => processesOf('agent/launcher.ts', dataDir)

function processesOf(program: string, dataDir = process.env.BERTH_DATA_DIR ?? 'nowhere'): Machine[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      pid: Number(name),
      command: readProc(`/proc/${name}/cmdline`),
      env: Object.fromEntries(
        readProc(`/proc/${name}/environ`)
          .split('\0')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      ),
    }))
    .filter(({ command, env }) => command.includes(program) && (env.BERTH_VOLUME ?? '').startsWith(dataDir))
}

/** The machine of one instance. */
export function machineOf(instanceId: string, dataDir?: string): Machine {
  const found = machines(dataDir).find(({ env }) => (env.BERTH_VOLUME ?? '').includes(instanceId))
  if (!found) throw new Error(`no machine of ${instanceId} is alive`)
  return found
}

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AwsOptions } from '../../emulators/aws/emulator.ts'
import { allocatorSettings } from '../kit/child-process.ts'

/** How a machine's containers run here. @param compiled the folder of Node's compile cache of their programs */
export const taskCommand =
  (repo: string, compiled: string, env: NodeJS.ProcessEnv): AwsOptions['taskCommand'] =>
  ({ taskArn, command }) => ({
    file: process.execPath,
    args: [join(repo, command?.at(-1) ?? 'agent/main.ts')],
    cwd: repo,
    environment: {
      BERTH_LAUNCHER: ownAddress(taskArn),
      ...allocatorSettings,
      NODE_COMPILE_CACHE: compiled,
      ...(env.BERTH_RUNTIME && { BERTH_RUNTIME: env.BERTH_RUNTIME }),
      // The caller's PATH leads to the runtimes' programs.
      ...(env.BERTH_RUNTIMES && { PATH: env.PATH ?? '' }),
    },
  })

/** The address at which a task's containers meet, instead of their own 127.0.0.1 in the cloud. No other task has it. */
function ownAddress(taskArn: string): string {
  const hash = createHash('sha256').update(taskArn).digest()
  if (process.platform === 'linux') return `127.${[0, 1, 2].map((at) => 1 + (hash.readUInt8(at) % 254)).join('.')}:4600`
  // On other systems there is one such address, so the port is unique instead.
  return `127.0.0.1:${10_000 + (hash.readUInt16BE() % 20_000)}`
}

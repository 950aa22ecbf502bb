/** Prepares a container: its command, its folders and its variables. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystems } from '../efs.ts'
import { idOf } from '../protocols.ts'
import { runsApart } from './apart.ts'
import type { Launch } from './process.ts'
import type { TaskRecord } from './task.ts'
import type { ContainerDefinition, TaskDefinition } from './task-definitions.ts'

/** How a container image runs on this host. */
export type TaskCommand = (container: { taskArn: string; image: string; command?: string[] }) => {
  file: string
  args: string[]
  cwd: string
  /** The image's own variables. */
  environment?: Record<string, string>
}

export interface LaunchOptions {
  stateFolder: string
  taskCommand: TaskCommand
  volumeVariable: string
  fileSystems: Pick<FileSystems, 'root'>
}

/** `others`: the task has one before it, from which it runs apart. */
export function launchOf(
  options: LaunchOptions,
  task: TaskRecord,
  definition: TaskDefinition,
  container: ContainerDefinition,
  others: boolean,
): Launch {
  const { stateFolder } = options
  const { taskArn } = task
  const override = task.overrides.containerOverrides?.find(({ name }) => name === container.name)
  const command = override?.command ?? container.command
  const { environment: ofImage, ...program } = options.taskCommand({
    taskArn,
    image: container.image,
    ...(command ? { command } : {}),
  })
  const empty = join(stateFolder, 'empty')
  const scratch = join(stateFolder, 'scratch', idOf(taskArn), container.name)
  const volume = folderOf(options, definition, container)
  const kept = [scratch, ...(volume ? [volume] : [])]
  for (const folder of [...kept, empty]) mkdirSync(folder, { recursive: true })
  return {
    ...program,
    taskArn,
    environment: {
      ...ofImage,
      ...pairs(container.environment),
      ...pairs(override?.environment),
      ...(volume && { [options.volumeVariable]: volume }),
    },
    logFile: join(stateFolder, 'logs', task.family, container.name, `${idOf(taskArn)}.log`),
    scratch,
    ...(others && runsApart() && { view: { hidden: stateFolder, empty, kept, image: program.cwd } }),
  }
}

/** A container cannot mount its volume at the requested path: the program gets the real folder in a variable. */
function folderOf(
  { fileSystems, stateFolder }: LaunchOptions,
  { volumes }: TaskDefinition,
  { mountPoints = [] }: ContainerDefinition,
): string | undefined {
  for (const { sourceVolume } of mountPoints) {
    const efs = volumes.find(({ name }) => name === sourceVolume)?.efsVolumeConfiguration
    if (!efs) continue
    const accessPointId = efs.authorizationConfig?.accessPointId
    const root = accessPointId
      ? fileSystems.root(efs.fileSystemId, accessPointId)
      : { path: efs.rootDirectory ?? '/', create: true }
    if (!root) throw new Error(`access point ${accessPointId} does not exist in ${efs.fileSystemId}`)
    const folder = join(stateFolder, 'volumes', efs.fileSystemId, root.path)
    if (root.create) mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }
  return undefined
}

const pairs = (list: { name: string; value: string }[] = []): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]))

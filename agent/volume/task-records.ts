import { rm } from 'node:fs/promises'
import type { TaskResult } from '../../domain/agent/task.ts'
import { parseObject } from '../kit/json.ts'
import { openOwn, replaceFile } from './own-folder.ts'

const mostRecords = 500
const mostBytes = 4 * 1024

/** The result of a volume-changing task, written next to the call that completes it. */
interface TaskRecord {
  result: TaskResult
  /** Inode of the moved object: the move is done when its old name has another one. */
  inode?: string
}

/**
 * Records tasks that changed the volume. A task whose machine was killed before the report is handed out again, but
 * must not be done again: its path may have something newer by then.
 */
export async function keepRecord(volume: string, taskId: string, record: TaskRecord): Promise<void> {
  await using folder = await openOwn(volume, 'tasks')
  await replaceFile(volume, folder, nameOf(taskId), JSON.stringify(record))
  const names: string[] = []
  for await (const { name } of folder.entries()) names.push(name.toString('latin1'))
  // Task ids begin with their time.
  for (const name of names.sort().slice(0, -mostRecords))
    await rm(folder.at(Buffer.from(name, 'latin1')), { recursive: true, force: true })
}

export async function recordOf(volume: string, taskId: string): Promise<TaskRecord | null> {
  await using folder = await openOwn(volume, 'tasks')
  const text = await folder.read(nameOf(taskId), mostBytes).catch(() => '')
  const { result, inode } = parseObject<TaskRecord>(text.toString())
  return result ? { result, ...(typeof inode === 'string' && { inode }) } : null
}

export async function dropRecord(volume: string, taskId: string): Promise<void> {
  await using folder = await openOwn(volume, 'tasks')
  await rm(folder.at(nameOf(taskId)), { force: true })
}

const nameOf = (taskId: string): Buffer => Buffer.from(taskId.replace(/[^\w-]/g, '_').slice(0, 100))

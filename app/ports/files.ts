import type { Task, TaskFailure, TaskResult, TaskState, VolumeJob } from '../../domain/agent/task.ts'
import type { StoredPoint } from '../../domain/files/restore-point.ts'
import type { Part } from './part.ts'

/** Volume jobs for a user's machine, handed out one at a time, oldest first. */
export interface Tasks {
  /** @throws conflict when the user has too many open tasks */
  add(userId: string, id: string, job: VolumeJob, nowMs: number, ...also: Part[]): Promise<true>
  /** A new task as part of another write. If the user has too many open tasks, the write throws `conflict`. */
  entry(userId: string, id: string, job: VolumeJob, nowMs: number): Part
  /** Adds a task of the service itself, once per id, without a limit. */
  addOwn(userId: string, id: string, job: VolumeJob, nowMs: number): Promise<void>
  findLeased(userId: string, id: string, generation: number): Promise<Task | null>
  renewLease(userId: string, id: string, generation: number, nowMs: number): Promise<boolean>
  /** Counts `bytes` that a task is about to store; false when the total would exceed `most`. */
  countStored(userId: string, id: string, bytes: number, most: number): Promise<boolean>
  /** Open tasks, oldest first, except those for which no machine starts. */
  listOpen(userId: string): Promise<{ id: string; job: VolumeJob }[]>
  /** Ends a task once; false for an ended task, or one that is not leased to this generation. */
  finish(
    userId: string,
    id: string,
    generation: number,
    outcome: TaskResult | TaskFailure,
    nowMs: number,
  ): Promise<boolean>
  /** Cancels a task, or fails it with `failure`; false for an ended task. */
  cancel(userId: string, id: string, failure?: TaskFailure): Promise<boolean>
  find(userId: string, id: string): Promise<TaskState | null>
}

export interface RestorePoints {
  /** False while another point is being made, also under concurrency. */
  add(userId: string, point: StoredPoint, ...also: Part[]): Promise<boolean>
  /** False when the point was no longer being made. */
  finish(
    userId: string,
    id: string,
    outcome: Pick<StoredPoint, 'state' | 'completedAt' | 'summary' | 'newBytes' | 'failure'>,
  ): Promise<boolean>
  find(userId: string, id: string): Promise<StoredPoint | null>
  /** Newest first. */
  list(userId: string): Promise<StoredPoint[]>
  /** False when there is none. */
  remove(userId: string, id: string, ...also: Part[]): Promise<boolean>
}

/** Objects of all instances. An address is valid for one key and one verb, for some minutes. */
export interface Storage {
  /** Upload address for exactly `size` bytes; with `sha256` (hex), only for those bytes. */
  putAddress(key: string, size: number, sha256?: string): Promise<string>
  /** Download address, as an attachment of that name. */
  getAddress(key: string, fileName?: string): Promise<string>
  /** Bytes; null when there is no such object. */
  size(key: string): Promise<number | null>
  /** Bytes from `from` to before `to`. @throws when there is no such object */
  read(key: string, from: number, to: number): Promise<Uint8Array>
  /** Lines of a gzipped text. @throws conflict when it unpacks to more than `unpackedList` */
  lines(key: string): AsyncIterable<string>
  list(prefix: string): AsyncIterable<string>
  remove(keys: string[]): Promise<void>
}

/** Bodies of model calls from machines that are too large for the call itself. */
export interface CallBodies {
  /** Upload address for exactly these bytes; `sha256` in hex. */
  putAddress(instanceId: string, id: string, body: { size: number; sha256: string }): Promise<string>
  /** Null when there is none, or it is larger than a call may be. */
  read(instanceId: string, id: string): Promise<string | null>
  remove(instanceId: string, id: string): Promise<void>
}

/** All stored data of an instance outside its volume. */
export interface Artifacts {
  /** Deletes all or a part; true once nothing is left. Safe to repeat. @throws when an object could not be deleted */
  erase(instanceId: string): Promise<boolean>
}

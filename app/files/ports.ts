import type { Task, TaskFailure, TaskResult, TaskState, VolumeJob } from '../../domain/agent/task.ts'
import type { StoredPoint } from '../../domain/files/restore-point.ts'

/** Volume jobs for a user's machine. One is handed out at a time, oldest first. */
export interface Tasks {
  /**
   * Adds what somebody asked for. With `act`: in one transaction with its first write; false when that wrote nothing,
   * and then there is no task. @throws conflict when too many of the user's are open
   */
  add(userId: string, id: string, job: VolumeJob, nowMs: number, act?: () => Promise<unknown>): Promise<boolean>
  /** Adds what the service needs by itself, once an id and however many are open. */
  addOwn(userId: string, id: string, job: VolumeJob, nowMs: number): Promise<void>
  /** A task that is handed out to this generation; null for any other. */
  findLeased(userId: string, id: string, generation: number): Promise<Task | null>
  /** False when it is not this generation's. */
  renewLease(userId: string, id: string, generation: number, nowMs: number): Promise<boolean>
  /** Counts what a task is about to store, bytes; false when that would be more than `most` in all. */
  countStored(userId: string, id: string, bytes: number, most: number): Promise<boolean>
  /** Waiting and running tasks, oldest first; without the question whether a machine may sleep. */
  listOpen(userId: string): Promise<{ id: string; job: VolumeJob }[]>
  /** Ends a task once; false when it had ended, or is not this generation's. */
  finish(
    userId: string,
    id: string,
    generation: number,
    outcome: TaskResult | TaskFailure,
    nowMs: number,
  ): Promise<boolean>
  /** Takes a task back that no machine will end, or says why not. False when it had ended. */
  cancel(userId: string, id: string, failure?: TaskFailure): Promise<boolean>
  find(userId: string, id: string): Promise<TaskState | null>
}

export interface RestorePoints {
  /** False while another one is being made, however many are added at once. */
  add(userId: string, point: StoredPoint): Promise<boolean>
  /** Writes how it went; false when it was not being made any more. */
  finish(
    userId: string,
    id: string,
    outcome: Pick<StoredPoint, 'state' | 'completedAt' | 'summary' | 'newBytes' | 'failure'>,
  ): Promise<boolean>
  find(userId: string, id: string): Promise<StoredPoint | null>
  /** Newest first. */
  list(userId: string): Promise<StoredPoint[]>
  remove(userId: string, id: string): Promise<void>
}

/** Objects of all instances. Addresses are good for one key, one verb and some minutes. */
export interface Storage {
  /** Where exactly `size` bytes may be put; with `sha256` (hex) only those bytes. */
  putAddress(key: string, size: number, sha256?: string): Promise<string>
  /** Where the object may be fetched, as an attachment of that name. */
  getAddress(key: string, fileName?: string): Promise<string>
  /** Size in bytes; null when there is none. */
  size(key: string): Promise<number | null>
  /** Bytes `from` up to, not including, `to`. @throws when there is no such object */
  read(key: string, from: number, to: number): Promise<Uint8Array>
  /** Lines of a gzipped text as they are read. @throws conflict when it unpacks to more than `unpackedList` */
  lines(key: string): AsyncIterable<string>
  list(prefix: string): AsyncIterable<string>
  remove(keys: string[]): Promise<void>
}

/** Bodies of model calls on their way from a machine, too large to come with the call. */
export interface CallBodies {
  /** Where exactly these bytes may be put: as many, of that SHA-256 (hex). */
  putAddress(instanceId: string, id: string, body: { size: number; sha256: string }): Promise<string>
  /** The whole of it; null when none was put, or a larger one than a call may have. */
  read(instanceId: string, id: string): Promise<string | null>
  remove(instanceId: string, id: string): Promise<void>
}

/** The stored data of an instance outside its volume, for its deletion. */
export interface Artifacts {
  /**
   * Deletes it, or some of it: true once nothing is left. Repeated calls are fine. @throws when something would not go
   */
  erase(instanceId: string): Promise<boolean>
}

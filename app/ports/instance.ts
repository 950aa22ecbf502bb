import type { Chat } from '../../domain/channels/inbound.ts'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { LogPage, LogQuery } from '../../domain/instance/logs.ts'
import type { TaskStatus } from '../../domain/instance/machine.ts'
import type { Sample } from '../../domain/instance/metrics.ts'
import type { Rollout } from '../../domain/instance/rollout.ts'
import type { StoredRun } from '../../domain/instance/run.ts'
import type { RuntimeManifest } from '../../domain/instance/runtime.ts'
import type { Schedule, ScheduleRun } from '../../domain/instance/schedules.ts'
import type { InstanceSecret, SecretChanges, UsableSecret } from '../../domain/instance/secrets.ts'
import type { Variable, VariableChanges } from '../../domain/instance/variables.ts'
import type { Page } from '../../domain/page.ts'
import type { LimitClass } from '../../domain/rates/rate-limits.ts'
import type { MachineClaims } from '../../domain/tokens/machine-token.ts'
import type { Part } from './part.ts'
import type { Admission } from './rates.ts'
import type { DueDelivery } from './webhooks.ts'

export interface Instances {
  find(userId: string): Promise<InstanceRecord | null>
  /** False when the user has one already. */
  create(record: InstanceRecord, ...also: Part[]): Promise<boolean>
  /** Writes `next` and the wallet's generation; false when the stored version is not `previous.version`. */
  save(next: InstanceRecord, previous: InstanceRecord, ...also: Part[]): Promise<boolean>
  /** Notes the machine of this generation; false when the generation has moved on. */
  setTask(
    record: Pick<InstanceRecord, 'userId' | 'generation' | 'tasks'>,
    taskArn: string,
    nowMs: number,
  ): Promise<boolean>
  /** Authenticates and counts a machine's call in one conditional write. */
  admitMachine(claims: MachineClaims, limit: LimitClass, nowMs: number): Promise<Admission<InstanceRecord>>
  /** Records activity, and whether for a person; a running instance is checked by `checkByMs`, if given. */
  touch(userId: string, at: string, by: 'person' | 'nobody', checkByMs?: number): Promise<InstanceRecord | null>
  setModel(userId: string, model: string, ...also: Part[]): Promise<InstanceRecord | null>
  setRuntime(userId: string, runtime: string, ...also: Part[]): Promise<InstanceRecord | null>
  setPersona(userId: string, persona: string, ...also: Part[]): Promise<InstanceRecord | null>
  /** Records since when the volume exceeds its plan (null: it fits); false when the stored time is not `before`. */
  setOverPlan(userId: string, since: string | null, before: string | null, ...also: Part[]): Promise<boolean>
  /** Stores why this generation's agent cannot start (null: it can); false when the generation has moved on. */
  setCannotStart(
    userId: string,
    generation: number,
    reason: CannotStartReason | null,
    ...also: Part[]
  ): Promise<boolean>
  /** Records that the volume is empty; false when this generation is not the one that erases it. */
  markErased(userId: string, generation: number): Promise<boolean>
  /** Users whose transient state is overdue, by sweep shard, the longest overdue first. */
  overdue(shard: number, nowMs: number, most?: number): Promise<string[]>
}

/** The history of the agent's machine. `Instances.save` adds each run when it ends. */
export interface Runs {
  /** Newest first; `after` is a `runId`. */
  ended(userId: string, page: { after: string | null; limit: number }, nowMs: number): Promise<Page<StoredRun>>
}

/** The agent programs that the operator offers, always including the reference agent. */
export interface Runtimes {
  offered(): Promise<RuntimeManifest[]>
}

/** The host of machines: a task and its volume, one per instance generation. */
export interface Machines {
  /** Starts the machine with its volume and returns its task; repeated calls start one. @throws MachineError */
  run(instance: InstanceRecord, environment: Record<string, string>): Promise<string>
  /** Safe to repeat. */
  stop(taskArn: string, reason: string): Promise<void>
  observe(taskArn: string): Promise<TaskStatus>
  /** States of at most 100 tasks, by one call; no call for none. */
  observeAll(taskArns: string[]): Promise<ReadonlyMap<string, TaskStatus>>
  /** The instance's machines, of any generation, that have not stopped and may still write to its volume. */
  alive(instance: InstanceRecord): Promise<{ taskArn: string; generation: number }[]>
  /** False for an instance whose machine never started: its volume has no data. */
  hasVolume(instance: InstanceRecord): Promise<boolean>
  /** Deletes the host's resources of an instance without a machine; safe to repeat. */
  remove(instance: InstanceRecord): Promise<void>
}

export interface Bus {
  publish(
    type: 'instance.wanted' | 'wallet.low' | 'webhooks.due' | 'album.arriving',
    userId: string,
    detail?: BusDetail,
  ): Promise<void>
}

/** Sweeps of single shards of overdue instances, each in an invocation of its own. */
export interface Sweeps {
  start(shard: number): Promise<void>
}

export interface BusDetail {
  due?: readonly DueDelivery[]
  /** The chat of an arriving album, and the id from which its events wait. */
  album?: { chat: Pick<Chat, 'platform' | 'id'>; from: string }
}

/** The user's environment variables. A function that may write them cannot read their values. */
export interface Variables {
  /** Names, and the version for `save`. */
  find(userId: string): Promise<{ version: number; variables: Variable[] }>
  /** Seals and writes the changed values, keeping the others; false if another save came since `version`. */
  save(userId: string, next: Variable[], changes: VariableChanges, version: number, ...also: Part[]): Promise<boolean>
  values(userId: string): Promise<Record<string, string>>
}

/** Secrets that the agent uses and cannot read. A function that may write them cannot read their values. */
export interface AgentSecrets {
  /** All but the values, and the version for `save`. */
  find(userId: string): Promise<{ version: number; secrets: InstanceSecret[] }>
  /** Seals and writes the changed values, keeping the others; false if another save came since `version`. */
  save(
    userId: string,
    next: InstanceSecret[],
    changes: SecretChanges,
    version: number,
    ...also: Part[]
  ): Promise<boolean>
  values(userId: string): Promise<UsableSecret[]>
}

export interface Metrics {
  /** Keeps the latest sample of each minute, for a limited time. */
  record(userId: string, samples: readonly Sample[]): Promise<void>
  /** Oldest first. */
  since(userId: string, sinceMs: number): Promise<Sample[]>
}

export interface Schedules {
  list(userId: string): Promise<Schedule[]>
  find(userId: string, id: string): Promise<Schedule | null>
  /** False when the user already has `most`, also under concurrency. */
  add(userId: string, schedule: Schedule, most: number, ...also: Part[]): Promise<boolean>
  /** False when the schedule is gone. */
  remove(userId: string, schedule: Pick<Schedule, 'id' | 'by'>, ...also: Part[]): Promise<boolean>
  /** Writes all but the runs; false when the schedule is gone. */
  update(userId: string, schedule: Schedule, ...also: Part[]): Promise<boolean>
  /** Records one run once; no effect when the schedule is gone. */
  recordRun(userId: string, id: string, run: ScheduleRun): Promise<void>
}

export interface AgentSchedules {
  /**
   * One schedule per agent's key; returns the stored one, or null when the user has too many.
   * @throws conflict when the key's schedule was deleted; rate-limited beyond the hourly limit
   */
  add(
    userId: string,
    key: string,
    schedule: Schedule,
    room: { most: number; byAgent: number },
    nowMs: number,
    ...also: Part[]
  ): Promise<Schedule | null>
}

/** Timers that put `schedule.due` on the bus. */
export interface Timers {
  /** Safe to repeat. */
  set(userId: string, schedule: Pick<Schedule, 'id' | 'cron' | 'timeZone' | 'at' | 'exact'>): Promise<void>
  /** Safe to repeat. */
  remove(scheduleId: string): Promise<void>
}

export interface Logs {
  /** @param tasks ids of the machines whose lines are read */
  read(instance: Pick<InstanceRecord, 'id'>, tasks: readonly string[], query: LogQuery): Promise<LogPage>
}

/** Progress of new images. */
export interface Rollouts {
  /** A new rollout for an untried image. */
  find(version: string): Promise<Rollout>
  /** False when another write came since `previous`. */
  save(next: Rollout, previous: Rollout, ...also: Part[]): Promise<boolean>
}

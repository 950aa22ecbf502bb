import type { Chat } from '../../domain/channels/inbound.ts'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { LogPage, LogQuery } from '../../domain/instance/logs.ts'
import type { TaskStatus } from '../../domain/instance/machine.ts'
import type { Sample } from '../../domain/instance/metrics.ts'
import type { Rollout } from '../../domain/instance/rollout.ts'
import type { RuntimeManifest } from '../../domain/instance/runtime.ts'
import type { Schedule, ScheduleRun } from '../../domain/instance/schedules.ts'
import type { InstanceSecret, SecretChanges, UsableSecret } from '../../domain/instance/secrets.ts'
import type { Variable, VariableChanges } from '../../domain/instance/variables.ts'
import type { MachineClaims } from '../../domain/tokens/machine-token.ts'
import type { LimitClass } from '../../domain/tokens/rate-limits.ts'
import type { Admission } from '../tokens/ports.ts'
import type { DueDelivery } from '../webhooks/ports.ts'

export interface Instances {
  find(userId: string): Promise<InstanceRecord | null>
  /** False when the user has one already. */
  create(record: InstanceRecord): Promise<boolean>
  /**
   * Writes `next` if the stored version is still `previous.version`; the wallet's generation changes with it. False
   * when it lost the race.
   */
  save(next: InstanceRecord, previous: InstanceRecord): Promise<boolean>
  /** Notes the machine that runs a generation; false when the generation has moved on. */
  setTask(userId: string, generation: number, taskArn: string): Promise<boolean>
  /** Authenticates and counts a machine's call in one conditional write. */
  admitMachine(claims: MachineClaims, limit: LimitClass, nowMs: number): Promise<Admission<InstanceRecord>>
  /**
   * Notes that something happened, and whether for a person; answers the instance as it is then. One that runs is
   * checked by `checkByMs`, if given.
   */
  touch(userId: string, at: string, by: 'person' | 'nobody', checkByMs?: number): Promise<InstanceRecord | null>
  setModel(userId: string, model: string): Promise<InstanceRecord | null>
  setRuntime(userId: string, runtime: string): Promise<InstanceRecord | null>
  setPersona(userId: string, persona: string): Promise<InstanceRecord | null>
  /** Notes since when the volume is too large for its plan (null: it fits); false when it is not `before` any more. */
  setOverPlan(userId: string, since: string | null, before: string | null): Promise<boolean>
  /**
   * Notes why the agent of this generation does not come up (null: it did); nothing when the generation has moved on.
   */
  setCannotStart(userId: string, generation: number, reason: CannotStartReason | null): Promise<void>
  /** Notes that the volume is empty; false when this generation was not there to empty it. */
  markErased(userId: string, generation: number): Promise<boolean>
  /** Users whose transient state is overdue, by sweep shard. */
  overdue(shard: number, nowMs: number): Promise<string[]>
}

/** The programs that the operator offers as an instance's agent; always including the reference agent. */
export interface Runtimes {
  offered(): Promise<RuntimeManifest[]>
}

/** The host of machines: a task and its volume, one per instance generation. */
export interface Machines {
  /**
   * Starts the machine of this generation with its volume; repeated calls start one. Answers its task.
   * @throws MachineError when the host does not start it
   */
  run(instance: InstanceRecord, environment: Record<string, string>): Promise<string>
  /** Asks the machine to stop; fine when it has stopped. */
  stop(taskArn: string, reason: string): Promise<void>
  /** A task's current state. */
  observe(taskArn: string): Promise<TaskStatus>
  /** The same of at most 100 tasks, by one call; no call for none. */
  observeAll(taskArns: string[]): Promise<ReadonlyMap<string, TaskStatus>>
  /** The instance's machines, of any generation, that have not stopped yet and may still write to its volume. */
  alive(instance: InstanceRecord): Promise<{ taskArn: string; generation: number }[]>
  /** False for an instance that no machine was ever started for: nothing can be on its volume. */
  hasVolume(instance: InstanceRecord): Promise<boolean>
  /** Takes away all that was made for an instance that has no machine left; repeated calls are fine. */
  remove(instance: InstanceRecord): Promise<void>
}

/** Tells the areas that react: an instance is wanted otherwise, a wallet fell below its owner's threshold. */
export interface Bus {
  publish(
    type: 'instance.wanted' | 'wallet.low' | 'webhooks.due' | 'album.arriving',
    userId: string,
    detail?: BusDetail,
  ): Promise<void>
}

/** The data of `webhooks.due` and `album.arriving` besides the user. */
export interface BusDetail {
  due?: readonly DueDelivery[]
  /** A chat in which everything from this id on waits for the rest of an album. */
  album?: { chat: Pick<Chat, 'platform' | 'id'>; from: string }
}

/** The user's environment variables. A function that may write them cannot read their values. */
export interface Variables {
  /** Names, and the version that a save must have seen. */
  find(userId: string): Promise<{ version: number; variables: Variable[] }>
  /** Seals and writes the changed values, keeping the others; false if somebody else wrote since `version`. */
  save(userId: string, next: Variable[], changes: VariableChanges, version: number): Promise<boolean>
  /** Name → value, as the machine gets them. */
  values(userId: string): Promise<Record<string, string>>
}

/** Secrets that the agent uses and cannot read. A function that may write them cannot read their values. */
export interface AgentSecrets {
  /** All but the values, and the version that a save must have seen. */
  find(userId: string): Promise<{ version: number; secrets: InstanceSecret[] }>
  /** Seals and writes the changed ones, keeping the others; false if somebody else wrote since `version`. */
  save(userId: string, next: InstanceSecret[], changes: SecretChanges, version: number): Promise<boolean>
  /** As the machine's supervisor gets them. */
  values(userId: string): Promise<UsableSecret[]>
}

/** Machines' measurements, kept for a while. */
export interface Metrics {
  /** Keeps the latest sample of each minute. */
  record(userId: string, samples: readonly Sample[]): Promise<void>
  /** Oldest first. */
  since(userId: string, sinceMs: number): Promise<Sample[]>
}

/** The user's schedules. */
export interface Schedules {
  list(userId: string): Promise<Schedule[]>
  find(userId: string, id: string): Promise<Schedule | null>
  /** False when the user has `most` already, however many are added at once. */
  add(userId: string, schedule: Schedule, most: number): Promise<boolean>
  remove(userId: string, schedule: Pick<Schedule, 'id' | 'by'>): Promise<void>
  /** Writes what a change made of it, runs apart; false when it is gone. */
  update(userId: string, schedule: Schedule): Promise<boolean>
  /** Notes what became of one of its times, once; nothing when it is gone. */
  recordRun(userId: string, id: string, run: ScheduleRun): Promise<void>
}

/** Schedules that an agent makes of its own accord. */
export interface AgentSchedules {
  /**
   * Adds one, once under the agent's own key, and answers what stands under it; null when there is no room for one
   * more.
   * @throws conflict when what stood there is gone, rate-limited beyond so many an hour
   */
  add(
    userId: string,
    key: string,
    schedule: Schedule,
    room: { most: number; byAgent: number },
    nowMs: number,
  ): Promise<Schedule | null>
}

/** The clock that fires schedules: each time it puts `schedule.due` on the bus. */
export interface Timers {
  /** Repeated calls set one. */
  set(userId: string, schedule: Pick<Schedule, 'id' | 'cron' | 'timeZone' | 'at'>): Promise<void>
  /** Fine when there is none. */
  remove(scheduleId: string): Promise<void>
}

/** The log of the instance's machines. */
export interface Logs {
  read(instance: Pick<InstanceRecord, 'id'>, query: LogQuery): Promise<LogPage>
}

/** How far a new image has come. */
export interface Rollouts {
  /** A new one for an image nobody has tried. */
  find(version: string): Promise<Rollout>
  /** False when somebody else wrote since `previous`. */
  save(next: Rollout, previous: Rollout): Promise<boolean>
}

import type { MachineClaims } from '../tokens/machine-token.ts'
import type { Admission } from '../tokens/ports.ts'
import type { LimitClass } from '../tokens/window.ts'
import type { InstanceRecord } from './instance.ts'

export interface Instances {
  find(userId: string): Promise<InstanceRecord | null>
  /** False when the user has one already. */
  create(record: InstanceRecord): Promise<boolean>
  /** Writes `next` if the stored version is still `previous.version`; the wallet's generation changes with it. False when it lost the race. */
  save(next: InstanceRecord, previous: InstanceRecord): Promise<boolean>
  /** Notes the machine that runs a generation; false when the generation has moved on. */
  setTask(userId: string, generation: number, taskArn: string): Promise<boolean>
  /** Authenticates and counts a machine's call in one conditional write. */
  admitMachine(claims: MachineClaims, limit: LimitClass, nowMs: number): Promise<Admission<InstanceRecord>>
  touch(userId: string, at: string): Promise<void>
  setModel(userId: string, model: string): Promise<InstanceRecord | null>
  setPersona(userId: string, persona: string): Promise<InstanceRecord | null>
  /** Users whose transient state is overdue, by sweep shard. */
  overdue(shard: number, nowMs: number): Promise<string[]>
}

/** A machine as its host shows it; `missing` is one the host does not know, or does not know yet. */
export type MachineSight = 'starting' | 'running' | 'stopping' | 'stopped' | 'missing'

/** The driver of machines: a task and its volume, one per instance generation. */
export interface Machines {
  /**
   * Starts the machine of this generation with its volume; repeated calls start one. Answers its task.
   * @throws MachineError when the host does not start it
   */
  run(instance: InstanceRecord, environment: Record<string, string>): Promise<string>
  /** Asks the machine to stop; fine when it has stopped. */
  stop(taskArn: string, reason: string): Promise<void>
  /** What can be seen of a task now. */
  observe(taskArn: string): Promise<MachineSight>
  /** The instance's machines, of any generation, that have not stopped yet and may still write to its volume. */
  alive(instance: InstanceRecord): Promise<{ taskArn: string; generation: number }[]>
}

/** Tells the reconciler that somebody wants an instance changed. */
export interface Bus {
  publish(type: 'instance.wanted', userId: string): Promise<void>
}

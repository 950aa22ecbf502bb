import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { MachineError } from '../../../domain/instance/machine.ts'
import type { Instances, MachineSight, Machines } from '../../../domain/instance/ports.ts'

export interface Task {
  taskArn: string
  generation: number
  status: MachineSight
}

export interface Seen {
  generation: number
  taskArn: string
  seen: 'running' | 'stopped'
  why: 'crash' | 'host'
}

export const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

/** One instance, its store and its host, as small as they can be and still go wrong in every way that matters. */
export class World {
  now = Date.UTC(2026, 10, 1)
  record: InstanceRecord = newInstance({ instanceId: 'ins_1', userId }, 'starter', '1', this.now)
  readonly tasks: Task[] = []
  /** Events under way. */
  events: Seen[] = []
  /** Starts that found another machine on the volume. */
  readonly doubled: string[] = []
  readonly states: string[] = []
  /** What the next start meets: the reconciler dies after it, or the host has no room. */
  fault: 'dies' | 'no-room' | null = null

  readonly instances = {
    find: async () => structuredClone(this.record),
    save: async (next, previous) => {
      if (previous.version !== this.record.version || previous.taskArn !== this.record.taskArn) return false
      this.record = structuredClone(next)
      return true
    },
    setTask: async (_, generation, taskArn) => {
      if (generation !== this.record.generation) return false
      this.record.taskArn = taskArn
      return true
    },
    overdue: async () => (this.record.deadlineMs !== null && this.record.deadlineMs <= this.now ? [userId] : []),
  } satisfies Partial<Instances>

  readonly machines: Machines = {
    run: async ({ generation }) => {
      const { fault } = this
      this.fault = null
      if (fault === 'no-room') throw new MachineError('no room', true)
      const known = this.tasks.find((task) => task.generation === generation)
      const others = this.alive().filter((task) => task.generation !== generation)
      if (!known && others.length > 0) this.doubled.push(`${generation} beside ${others.map((one) => one.generation)}`)
      const taskArn = known?.taskArn ?? `task-${generation}`
      if (!known) this.tasks.push({ taskArn, generation, status: 'starting' })
      if (fault === 'dies') throw new Error('the function was killed')
      return taskArn
    },
    stop: async (taskArn) => {
      const task = this.tasks.find((one) => one.taskArn === taskArn)
      if (task?.status === 'starting' || task?.status === 'running') task.status = 'stopping'
    },
    observe: async (taskArn) => this.tasks.find((one) => one.taskArn === taskArn)?.status ?? 'missing',
    alive: async () => this.alive().map(({ taskArn, generation }) => ({ taskArn, generation })),
  }

  alive(): Task[] {
    return this.tasks.filter(({ status }) => status !== 'stopped')
  }

  /** The host takes every task one step on, and says so. */
  advance(): void {
    for (const task of this.alive()) {
      if (task.status === 'starting') this.move(task, 'running', 'host')
      else if (task.status === 'stopping') this.move(task, 'stopped', 'host')
    }
  }

  crash(): void {
    for (const task of this.alive()) this.move(task, 'stopped', 'crash')
  }

  private move(task: Task, status: 'running' | 'stopped', why: 'crash' | 'host'): void {
    task.status = status
    this.events.push({ generation: task.generation, taskArn: task.taskArn, seen: status, why })
  }
}

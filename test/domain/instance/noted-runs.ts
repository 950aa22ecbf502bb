import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { startsAgent } from '../../../domain/instance/life-cycle.ts'
import type { StoredRun } from '../../../domain/instance/run.ts'
import { hasEnded, openRun } from '../../../domain/instance/run-changes.ts'

/** The history that a store keeps of each write of an instance. */
export class NotedRuns {
  readonly ended: StoredRun[] = []
  /** Generations of the agent's machine that a write began. */
  private readonly begun = new Set<number>()
  readonly problems: string[] = []

  note(previous: InstanceRecord | null, next: InstanceRecord): void {
    if (next.lastRun && hasEnded(previous, next)) this.ended.push(next.lastRun)
    if (startsAgent(next.state) && next.generation !== previous?.generation) this.begun.add(next.generation)
    this.problems.push(...this.problemsOf(next))
  }

  /** Violations of the rules: each machine has one run, each run one end, and no two runs overlap. */
  private problemsOf(record: InstanceRecord): string[] {
    const found: string[] = []
    const open = openRun(record)
    if (record.state === 'running' && !open?.readyAt) found.push('it runs without a run that is ready')
    if (record.run && !open) found.push(`a run is left while ${record.state}`)
    const generations = [...this.ended, ...(open ? [open] : [])].map(({ generation }) => generation)
    if (generations.join() !== [...this.begun].join())
      found.push(`runs of ${generations.join()}, machines of ${[...this.begun].join()}`)
    let before = ''
    for (const run of open ? [...this.ended, open] : this.ended) {
      const times = [
        before,
        run.requestedAt,
        ...(run.readyAt ? [run.readyAt] : []),
        ...(run.endedAt ? [run.endedAt] : []),
      ]
      if (times.join() !== [...times].sort().join()) found.push(`run ${run.generation} overlaps: ${times.join(' ')}`)
      if ((run.endedAt === null) !== (run === open) || (run.endReason === null) !== (run === open))
        found.push(`run ${run.generation} has no end, or ends although it is under way`)
      before = run.endedAt ?? ''
    }
    return found
  }
}

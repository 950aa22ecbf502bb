import type { InstanceRecord, Reason } from './instance.ts'
import { isWaiting, stay, type Transition, transition } from './life-cycle.ts'
import type { TaskStatus } from './machine.ts'

/**
 * @param status of the machine of the record's own generation
 * @param cause why it stopped, if it did: `crash`, or `host` for no fault of its own
 */
export function decideNext(
  record: InstanceRecord,
  status: TaskStatus,
  nowMs: number,
  cause: Reason = 'crash',
): Transition {
  const overdue = record.deadlineMs !== null && record.deadlineMs <= nowMs
  switch (record.state) {
    case 'provisioning':
    case 'resuming':
    case 'maintenance-starting':
      return whileStarting(record, status, nowMs, cause, overdue)
    case 'running':
      if (isGone(status)) return transition(record, 'machine-stopped', cause, nowMs)
      return stay(record, overdue ? 'check' : 'none')
    case 'maintenance':
      if (isGone(status)) return transition(record, 'machine-stopped', record.reason, nowMs)
      return overdue ? transition(record, 'overdue', record.reason, nowMs) : stay(record, 'none')
    case 'erasing':
      return whileErasing(record, status, nowMs, overdue)
    case 'pausing':
    case 'refreshing':
    case 'maintenance-stopping':
    case 'deleting':
      // Without a task a start may still be under way; it ends before the deadline.
      if (isGone(status) && (record.taskArn !== null || overdue))
        return transition(record, 'machine-stopped', reasonAfter(record), nowMs)
      if (overdue) return transition(record, 'overdue', record.reason, nowMs)
      return stay(record, status === 'stopping' ? 'none' : 'stop')
    case 'paused':
    case 'failed':
    case 'deleted':
      // A start that was under way when the instance came to rest.
      return stay(record, status === 'starting' || status === 'running' ? 'stop' : 'none')
  }
}

function whileStarting(
  record: InstanceRecord,
  status: TaskStatus,
  nowMs: number,
  cause: Reason,
  overdue: boolean,
): Transition {
  if (status === 'running') return transition(record, 'machine-running', 'ready', nowMs)
  if (status === 'stopped') return transition(record, 'machine-stopped', cause, nowMs)
  const started = record.taskArn !== null
  // A new task may be unknown for a while; one that is still unknown at its deadline will not start.
  if (status === 'missing' && started && overdue) return transition(record, 'machine-stopped', 'host', nowMs)
  if (!overdue) return stay(record, started || isWaiting(record, nowMs) ? 'none' : 'run')
  const again = transition(record, 'overdue', record.reason, nowMs)
  // The start hangs: its end brings the next generation.
  return started ? { ...again, step: 'stop' } : again
}

/** Volume erasers follow each other until the volume is empty; then all else is removed. */
function whileErasing(record: InstanceRecord, status: TaskStatus, nowMs: number, overdue: boolean): Transition {
  if (record.volumeErased && isGone(status)) return stay(record, 'remove')
  if (record.volumeErased || status === 'running') return stay(record, overdue ? 'stop' : 'none')
  return whileStarting(record, status, nowMs, record.reason, overdue)
}

const isGone = (status: TaskStatus): boolean => status === 'stopped' || status === 'missing'

/** A request during the stop decides why it starts again. */
function reasonAfter({ state, desiredState, reason }: InstanceRecord): Reason {
  if (state !== 'pausing' || desiredState !== 'running') return reason
  return reason === 'billing' ? 'subscribed' : 'message'
}

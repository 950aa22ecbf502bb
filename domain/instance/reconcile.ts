import type { InstanceRecord, Reason } from './instance.ts'
import { isWaiting, stay, type Transition, transition } from './life-cycle.ts'
import type { MachineSight } from './ports.ts'

/**
 * Brings what was asked of an instance and what is seen of its machine together.
 * @param seen the machine of the record's own generation
 * @param why it stopped, if it did: `crash`, or `host` for no fault of its own
 */
export function reconcile(
  record: InstanceRecord,
  seen: MachineSight,
  nowMs: number,
  why: Reason = 'crash',
): Transition {
  const overdue = record.deadlineMs !== null && record.deadlineMs <= nowMs
  switch (record.state) {
    case 'provisioning':
    case 'resuming':
    case 'opening':
      return whileStarting(record, seen, nowMs, why, overdue)
    case 'running':
      if (isGone(seen)) return transition(record, 'machine-stopped', why, nowMs)
      return stay(record, overdue ? 'look' : 'none')
    case 'keeping':
      if (isGone(seen)) return transition(record, 'machine-stopped', record.reason, nowMs)
      return overdue ? transition(record, 'overdue', record.reason, nowMs) : stay(record, 'none')
    case 'erasing':
      return whileErasing(record, seen, nowMs, overdue)
    case 'pausing':
    case 'refreshing':
    case 'closing':
    case 'deleting':
      // Without a task a start may still be under way; it has ended, one way or the other, before the deadline.
      if (isGone(seen) && (record.taskArn !== null || overdue))
        return transition(record, 'machine-stopped', reasonAfter(record), nowMs)
      if (overdue) return transition(record, 'overdue', record.reason, nowMs)
      return stay(record, seen === 'stopping' ? 'none' : 'stop')
    case 'paused':
    case 'failed':
    case 'deleted':
      // A start that was under way when the instance came to rest.
      return stay(record, seen === 'starting' || seen === 'running' ? 'stop' : 'none')
  }
}

function whileStarting(
  record: InstanceRecord,
  seen: MachineSight,
  nowMs: number,
  why: Reason,
  overdue: boolean,
): Transition {
  if (seen === 'running') return transition(record, 'machine-running', 'ready', nowMs)
  if (seen === 'stopped') return transition(record, 'machine-stopped', why, nowMs)
  const started = record.taskArn !== null
  // A task just started may be unknown for a while; one that still is when its time is up will not come.
  if (seen === 'missing' && started && overdue) return transition(record, 'machine-stopped', 'host', nowMs)
  if (!overdue) return stay(record, started || isWaiting(record, nowMs) ? 'none' : 'run')
  const again = transition(record, 'overdue', record.reason, nowMs)
  // It hangs while starting: its end brings the next generation.
  return started ? { ...again, step: 'stop' } : again
}

/** An eraser is followed by another one until the volume is empty; then all else goes. */
function whileErasing(record: InstanceRecord, seen: MachineSight, nowMs: number, overdue: boolean): Transition {
  if (record.emptied && isGone(seen)) return stay(record, 'remove')
  if (record.emptied || seen === 'running') return stay(record, overdue ? 'stop' : 'none')
  return whileStarting(record, seen, nowMs, record.reason, overdue)
}

const isGone = (seen: MachineSight): boolean => seen === 'stopped' || seen === 'missing'

/** What was asked while the machine was stopping decides why it starts again. */
function reasonAfter({ state, desiredState, reason }: InstanceRecord): Reason {
  if (state !== 'pausing' || desiredState !== 'running') return reason
  return reason === 'billing' ? 'subscribed' : 'message'
}

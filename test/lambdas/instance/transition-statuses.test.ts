import { DomainError } from '../../../domain/errors.ts'
import { showInstance } from '../../../domain/instance/explain.ts'
import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import { transitionStatus } from '../../../domain/instance/status.ts'
import { transitions } from '../../../domain/instance/transitions.ts'
import { pauseInstance } from '../../../lambdas/instance/pause-instance.ts'
import { refreshInstance } from '../../../lambdas/instance/refresh-instance.ts'
import { resumeInstance } from '../../../lambdas/instance/resume-instance.ts'

const ids = { instanceId: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0', userId: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }
const made = newInstance(ids, 'starter', '0.1.0', 0, null)
const states = Object.keys(transitions) as (keyof typeof transitions)[] // safe because these are its keys

/** The states in which a verb returns each status. */
function statesByStatus(verb: 'pause' | 'resume' | 'refresh') {
  const statusIn = (state: (typeof states)[number]): number => {
    try {
      return transitionStatus({ instance: showInstance(transition({ ...made, state }, verb, 'user', 0).next) })
    } catch (error) {
      if (error instanceof DomainError) return 409
      throw error
    }
  }
  return Object.fromEntries(Map.groupBy(states, statusIn))
}

// The owner of an instance in maintenance sees it as paused or resuming.
const inMaintenance = ['maintenance-starting', 'maintenance', 'maintenance-stopping']
const ending = ['deleting', 'erasing', 'deleted']

test('each status of pause, resume and refresh is returned in the states that the document lists', () => {
  expect(statesByStatus('pause')).toEqual({
    200: ['paused', ...inMaintenance],
    202: ['running', 'pausing'],
    409: ['provisioning', 'resuming', 'refreshing', 'failed', ...ending],
  })
  expect(pauseInstance.description).toBe(
    '202: the machine is stopping, also if an earlier call stopped it. 200: it is already paused. 409: it is starting, refreshing, failed or being deleted.',
  )
  expect(statesByStatus('resume')).toEqual({
    200: ['running'],
    202: ['provisioning', 'paused', 'resuming', 'failed', ...inMaintenance],
    409: ['pausing', 'refreshing', ...ending],
  })
  expect(resumeInstance.description).toBe(
    '202: the machine is starting, also if an earlier call started it. 200: it is already running. 409: it is pausing or refreshing, the instance is being deleted, or there is no active subscription.',
  )
  expect(statesByStatus('refresh')).toEqual({
    202: ['running', 'refreshing', 'failed'],
    409: ['provisioning', 'pausing', 'paused', 'resuming', ...inMaintenance, ...ending],
  })
  expect(refreshInstance.description).toBe(
    '202: the agent is restarting, also if an earlier call restarted it. 409: the machine is starting, pausing or paused, or the instance is being deleted.',
  )
})

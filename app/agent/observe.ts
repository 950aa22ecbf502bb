import type { Observation, Observed } from '../../domain/agent/observation.ts'
import { noteCannotStart } from '../instance/cannot-start.ts'
import { type MachinePorts, noteHeartbeat, noteTask, requestDailyPoint } from './machine-reports.ts'
import { reply, showActivities, showDraft, showProgress } from './prompt-reports.ts'
import type { Reporter } from './reporter.ts'
import { ask, type SayPorts, say } from './say-and-ask.ts'

type Answer = Omit<Observed, 'accepted'>

/** @throws not-found, rate-limited */
export async function observe(deps: SayPorts & MachinePorts, reporter: Reporter, report: Observation): Promise<Answer> {
  const { userId, generation } = reporter
  switch (report.kind) {
    case 'reply':
      return { message: await reply(deps, reporter, report) }
    case 'progress':
      return showProgress(deps, reporter, report)
    case 'draft':
      return showDraft(deps, reporter, report)
    case 'activity':
      return showActivities(deps, reporter, report)
    case 'message':
      return { message: await say(deps, reporter, report) }
    case 'question':
      return { question: await ask(deps, reporter, report) }
    case 'heartbeat':
      return noteHeartbeat(deps, reporter, report)
    case 'task':
      return noAnswer(noteTask(deps, reporter, report))
    case 'ready':
      return noAnswer(noteCannotStart(deps, reporter, null))
    case 'cannot-start':
      return noAnswer(noteCannotStart(deps, reporter, report.reason))
    case 'crashed':
      return noAnswer(deps.conversations.release(userId, generation))
    case 'restore-point':
      return noAnswer(requestDailyPoint(deps, reporter))
    case 'volume-erased':
      return noAnswer(deps.instances.markErased(userId, generation))
    case 'draining':
      return {}
  }
}

async function noAnswer(done: Promise<unknown>): Promise<Answer> {
  await done
  return {}
}

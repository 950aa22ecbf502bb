import { area } from '../kit/area.ts'
import { onEventRecorded } from './on-event-recorded.ts'
import { onPromptStopped } from './on-prompt-stopped.ts'
import { onQuestionAnswered } from './on-question-answered.ts'
import { onSessionEnded } from './on-session-ended.ts'
import { onTokenEnded } from './on-token-ended.ts'
import { onWorkAdded } from './on-work-added.ts'

export const pushArea = area({
  name: 'push',
  jobs: [onEventRecorded, onWorkAdded, onPromptStopped, onQuestionAnswered, onTokenEnded, onSessionEnded],
})

import { area } from '../kit/area.ts'
import { createAgentAttachment } from './create-agent-attachment.ts'
import { createAgentSchedule } from './create-agent-schedule.ts'
import { deleteAgentSchedule } from './delete-agent-schedule.ts'
import { getAgentContext } from './get-agent-context.ts'
import { getAgentFiles } from './get-agent-files.ts'
import { getAgentPrompt } from './get-agent-prompt.ts'
import { getAgentQuestion } from './get-agent-question.ts'
import { getAgentSecrets } from './get-agent-secrets.ts'
import { giveAgentFeedback } from './give-agent-feedback.ts'
import { listAgentSchedules } from './list-agent-schedules.ts'
import { observeAgent } from './observe-agent.ts'
import { signAgentFiles } from './sign-agent-files.ts'

export const agentArea = area({
  name: 'agent',
  about: 'For the program on your agent’s machine only.',
  operations: [
    getAgentFiles,
    getAgentSecrets,
    signAgentFiles,
    getAgentPrompt,
    getAgentContext,
    getAgentQuestion,
    createAgentAttachment,
    observeAgent,
    giveAgentFeedback,
    listAgentSchedules,
    createAgentSchedule,
    deleteAgentSchedule,
  ],
})

import { expect, test } from '@jest/globals'
import * as own from '../../../agent/kit/limits.ts'
import { maxActivitiesAtOnce } from '../../../domain/agent/activity.ts'
import { maxWaitSeconds } from '../../../domain/agent/observation.ts'
import { inlineBytes, taskLeaseMs } from '../../../domain/agent/task.ts'
import { imageTypes, maxAttachmentBytes, maxAttachments } from '../../../domain/chat/attachment-limits.ts'
import { leaseMs } from '../../../domain/chat/message.ts'
import { questionSeconds } from '../../../domain/chat/question.ts'
import { codes } from '../../../domain/errors.ts'
import { cannotStartTexts } from '../../../domain/instance/cannot-start.ts'
import { maxSamples } from '../../../domain/instance/metrics.ts'
import { anthropicTypes } from '../../../domain/models/vendor-errors.ts'

test('the limits in the image equal the service’s', () => {
  const { usual, least } = questionSeconds
  expect({ ...own }).toEqual({
    maxWaitSeconds,
    leaseMs,
    taskLeaseMs,
    inlineBytes,
    maxSamples,
    maxActivitiesAtOnce,
    questionSeconds: { usual, least },
    maxAttachments,
    maxAttachmentBytes,
    imageTypes,
    errorCodes: codes,
    vendorErrorTypes: anthropicTypes,
    cannotStartTexts,
  })
})

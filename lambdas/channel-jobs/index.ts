import { area } from '../kit/area.ts'
import { onAlbumArriving } from './on-album-arriving.ts'
import { onChatHappened } from './on-chat-happened.ts'
import { onMessageReady } from './on-message-ready.ts'
import { onPromptEnded } from './on-prompt-ended.ts'
import { onQuestionSettled } from './on-question-settled.ts'
import { onReplyGrew } from './on-reply-grew.ts'
import { sweepChannels } from './sweep-channels.ts'

export const channelJobsArea = area({
  name: 'channel-jobs',
  jobs: [onChatHappened, onAlbumArriving, onReplyGrew, onMessageReady, onPromptEnded, onQuestionSettled, sweepChannels],
  timeoutSeconds: 120,
})

import { area } from '../kit/area.ts'
import { createLinkCode } from './create-link-code.ts'
import { deleteChannel } from './delete-channel.ts'
import { finishSlackInstall } from './finish-slack-install.ts'
import { listChannelDeliveries } from './list-channel-deliveries.ts'
import { listChannels } from './list-channels.ts'
import { receiveDiscord } from './receive-discord.ts'
import { receiveSlack } from './receive-slack.ts'
import { receiveTelegram } from './receive-telegram.ts'
import { replayChannelDelivery } from './replay-channel-delivery.ts'
import { startSlackInstall } from './start-slack-install.ts'
import { updateChannel } from './update-channel.ts'

export const channelsArea = area({
  name: 'channels',
  about: 'Chats on Telegram, Slack and Discord that are linked to your agent.',
  operations: [
    listChannels,
    createLinkCode,
    updateChannel,
    deleteChannel,
    listChannelDeliveries,
    replayChannelDelivery,
    startSlackInstall,
    finishSlackInstall,
    receiveTelegram,
    receiveSlack,
    receiveDiscord,
  ],
})

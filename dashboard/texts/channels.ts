import type { ReactNode } from 'react'
import type { ChannelDelivery } from '../../clients/typescript/operations.ts'
import { marked } from './marked.ts'

/** Marks a text up, for example as a link. */
type Mark = (text: string) => ReactNode

export const channelTexts = {
  lead: 'Talk to your agent where you chat anyway. It is the same agent: what you write to it there stands in its conversation here, too.',
  nowhere: 'There is no chat platform to link yet.',
  nowhereHint:
    'The operator of this service has not set up Telegram, Slack or Discord. When one of them is available, you can link it here.',

  link: {
    title: 'Link a chat',
    linked: (platform: string, person: string) => `${platform} is linked, as ${person}. Write to your agent there.`,
    full: (most: number) => `You have linked ${most} chats, which is the most. Unlink one first.`,
    choose: 'Choose where',
    platform: 'Platform',
    notInWorkspace: (name: string | undefined, add: Mark) =>
      marked`Is ${name} not in your workspace yet? ${add('Add it there')} first.`,
    get: 'Get a code',
    code: 'Code',
    newCode: 'New code',
    expired: 'The code has expired. Get a new one.',
    goodFor: (left: ReactNode) => marked`Good once, for ${left}`,
    send: 'Send it there',
    keep: 'Anyone who sends this code links their chat to your account. Do not share it.',
    /** @param name the agent's name on the platform */
    ways: {
      telegram: (name: string, strong: Mark) =>
        marked`Open the chat with ${name} and press ${strong('Start')}: the code is in the link. Or send it the code as a message.`,
      slack: (name: string, link: Mark) =>
        marked`Open ${name} and send it the code as a direct message. Your workspace does not have it yet? ${link('Add it to Slack')} first.`,
      discord: (name: string, command: ReactNode) =>
        marked`Add ${name}, open its direct messages, and send ${command}.`,
    },
    open: (platform: string) => `Open ${platform}`,
    waiting: 'Waiting for the code to arrive. This page notices by itself.',
    qrCode: (platform: string) => `QR code that opens ${platform} with the code`,
    scan: 'Or scan it with your phone',
    groups: (command: ReactNode, slackCommand: ReactNode) =>
      marked`A group is linked from within: link a direct chat first, then send ${command} in the group, in Slack ${slackCommand}. You have to own or administer it. It gets a conversation of its own, in which your agent answers nobody but you.`,
  },

  linked: {
    title: 'Linked chats',
    none: 'No chat is linked yet.',
    noneHint: 'Three steps above, and your agent answers there.',
    lead: 'Your agent answers in the chat where you ask. Results of schedules, unsolicited messages and questions go to its home chat.',
    lost: 'Lost',
    lostHint:
      'Your agent cannot write there any more: the chat is gone, or our place in it was taken away. Let it in again and write there, and it is linked again. Or unlink it.',
    direct: 'Direct chat',
    group: (platform: string, person: string) => `Group on ${platform}, as ${person}`,
    /** Before a day. */
    since: 'linked',
    conversation: 'its conversation',
    home: 'Home chat',
    homeOf: (chat: string) => `Home chat: ${chat}`,
    unlink: 'Unlink',
  },

  unlink: {
    title: (chat: string) => `Unlink “${chat}”?`,
    words: (direct: boolean) =>
      `Messages in this chat no longer reach your agent, and it no longer writes there. Earlier messages stay in both places. You cannot undo this: ${direct ? 'a new code' : 'a new /link in the group'} links it again.`,
    keep: 'Keep it',
    unlink: 'Unlink',
  },

  deliveries: {
    title: 'Deliveries of the last week',
    label: 'Deliveries',
    show: 'Show',
    everything: 'Everything',
    failed: 'What failed',
    notLinked: (platform: string) => `${platform}, not linked any more`,
    furtherBack: 'Look further back',
    noneOf: (looked: number) => `None of the newest ${looked} failed.`,
    noneFailed: 'Nothing failed.',
    none: 'Nothing yet.',
    noneHint: 'Each message from a linked chat and each answer to it stands here, and whether it arrived.',
    noText: 'No text',
    from: (chat: string) => `From ${chat}`,
    to: (chat: string) => `To ${chat}`,
    /** Before a time. */
    nextTry: 'next try',
    states: {
      received: 'Being taken',
      open: 'Being written',
      sending: 'Being sent',
      done: 'Taken',
      ignored: 'Ignored',
      sent: 'Sent',
      failed: 'Failed',
    } satisfies Record<ChannelDelivery['state'], string>,
    triedAgain: 'Being tried again',
  },

  slack: {
    title: 'Slack',
    refused: 'Nothing was added: you did not allow it at Slack.',
    adding: 'Adding it to your workspace…',
    added: (workspace: string, link: Mark) =>
      marked`${workspace} has the app now. Everybody there can ${link('link a direct chat')} with it to their own account.`,
    lead: 'The app is added to a workspace once, by somebody who may add apps there. It reads what is said in direct chats with it and in channels that it is invited to.',
    add: 'Add it to a workspace',
    addAnother: 'Add it to another workspace',
  },
}

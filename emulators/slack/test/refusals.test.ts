/** The rows of “Refusals” in the emulator's README. */
import { type TestSlack, testSlack, workshop } from './slack.ts'

let slack: TestSlack
let token: string
beforeEach(async () => {
  slack = await testSlack()
  token = slack.people.install(workshop.team)
  slack.people.invite({ user: workshop.ada, channel: workshop.general })
})
afterEach(() => slack.stop())

/** The error code of a refused call. */
async function errorOf(method: string, body: object): Promise<string> {
  const response = await fetch(`${slack.apiBase}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()).error
}

const { general: channel } = workshop

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const button = (more: object) => ({
  type: 'actions',
  elements: [{ type: 'button', text: { type: 'plain_text', text: 'a' }, ...more }],
})
const plain = (text: string) => ({ text: { type: 'plain_text', text } })
const blocks = (...list: object[]) => ({ channel, blocks: list })

describe('Slack refuses', () => {
  test.each<[string, string, object, string]>([
    ['no text and no blocks', 'chat.postMessage', { channel }, 'no_text'],
    [
      'a text of more than 40,000 characters',
      'chat.postMessage',
      { channel, text: 'x'.repeat(40_001) },
      'msg_too_long',
    ],
    [
      'Markdown of more than 12,000 characters',
      'chat.postMessage',
      { channel, markdown_text: 'x'.repeat(12_001) },
      'msg_too_long',
    ],
    [
      'Markdown beside a text',
      'chat.postMessage',
      { channel, text: 'a', markdown_text: 'a' },
      'markdown_text_conflict',
    ],
    [
      'Markdown beside blocks',
      'chat.postMessage',
      { ...blocks(section('a')), markdown_text: 'a' },
      'markdown_text_conflict',
    ],
    ['more than 50 blocks', 'chat.postMessage', blocks(...Array(51).fill({ type: 'divider' })), 'invalid_blocks'],
    [
      'a section of more than 3,000 characters',
      'chat.postMessage',
      blocks(section('x'.repeat(3001))),
      'invalid_blocks',
    ],
    ['an empty section', 'chat.postMessage', blocks(section('')), 'invalid_blocks'],
    [
      'a header of more than 150 characters',
      'chat.postMessage',
      blocks({ type: 'header', ...plain('x'.repeat(151)) }),
      'invalid_blocks',
    ],
    [
      'Markdown blocks of more than 12,000 characters together',
      'chat.postMessage',
      blocks(...Array(3).fill({ type: 'markdown', text: 'x'.repeat(4_001) })),
      'invalid_blocks',
    ],
    [
      'Markdown that becomes more than 50 blocks',
      'chat.postMessage',
      blocks({ type: 'markdown', text: '# a\n\nb\n\n'.repeat(26) }),
      'msg_blocks_too_long',
    ],
    ['an unknown block', 'chat.postMessage', blocks({ type: 'shiny' }), 'invalid_blocks'],
    [
      'more than 25 buttons in a block',
      'chat.postMessage',
      blocks({ type: 'actions', elements: Array(26).fill({ type: 'button', ...plain('a') }) }),
      'invalid_blocks',
    ],
    [
      'a button of more than 75 characters',
      'chat.postMessage',
      blocks(button(plain('x'.repeat(76)))),
      'invalid_blocks',
    ],
    [
      'a value of more than 2,000 characters',
      'chat.postMessage',
      blocks(button({ value: 'x'.repeat(2001) })),
      'invalid_blocks',
    ],
    [
      'an address of more than 3,000 characters',
      'chat.postMessage',
      blocks(button({ url: `https://x.example/${'x'.repeat(3000)}` })),
      'invalid_blocks',
    ],
    [
      'an action_id that is there twice',
      'chat.postMessage',
      blocks(button({ action_id: 'a' }), button({ action_id: 'a' })),
      'invalid_blocks',
    ],
    ['blocks that are no list', 'chat.postMessage', { channel, blocks: '{' }, 'invalid_blocks_format'],
    [
      'more than a hundred attachments',
      'chat.postMessage',
      { channel, text: 'a', attachments: Array(101).fill({ text: 'a' }) },
      'too_many_attachments',
    ],
    ['an unknown channel', 'chat.postMessage', { channel: 'C0NOWHERE', text: 'a' }, 'channel_not_found'],
    ['no channel', 'chat.postMessage', { text: 'a' }, 'invalid_arguments'],
    [
      'an edit of a message that is not there',
      'chat.update',
      { channel, ts: '1.000000', text: 'a' },
      'message_not_found',
    ],
    ['a deletion of a message that is not there', 'chat.delete', { channel, ts: '1.000000' }, 'message_not_found'],
    ['a stream outside of a thread', 'chat.startStream', { channel }, 'invalid_arguments'],
    [
      'a stream without the person it is for',
      'chat.startStream',
      { channel, thread_ts: '1.000000', recipient_team_id: workshop.team },
      'missing_recipient_user_id',
    ],
    [
      'a stream without the workspace of its person',
      'chat.startStream',
      { channel, thread_ts: '1.000000', recipient_user_id: workshop.ada },
      'missing_recipient_team_id',
    ],
    ['an unknown method', 'chat.shout', { channel }, 'unknown_method'],
  ])('%s', async (_, method, body, error) => {
    expect(await errorOf(method, body)).toBe(error)
  })

  test('an edit of more than 4,000 characters, and of another’s message', async () => {
    const theirs = slack.people.say({ user: workshop.ada, channel }, 'mine')
    expect(await errorOf('chat.update', { channel, ts: theirs.ts, text: 'a' })).toBe('cant_update_message')
    await errorOf('chat.postMessage', { channel, text: 'ours' })
    const ours = slack.store.value.messages.at(-1)
    expect(await errorOf('chat.update', { channel, ts: ours?.ts, text: 'x'.repeat(4001) })).toBe('msg_too_long')
  })

  test('a body that is not JSON or not an object, and half a character in it', async () => {
    const call = async (body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (await (await fetch(`${slack.apiBase}/api/chat.postMessage`, { method: 'POST', headers, body })).json())
        .error
    }
    const half = JSON.stringify({ channel, text: 'a\ud83d' })
    expect([await call('{'), await call('[]'), await call(half)]).toEqual([
      'invalid_json',
      'json_not_object',
      'invalid_json',
    ])
  })

  test('an invalid or revoked token', async () => {
    const call = async (headers: Record<string, string>) =>
      (await (await fetch(`${slack.apiBase}/api/auth.test`, { method: 'POST', headers })).json()).error
    const bearer = (value: string) => call({ authorization: `Bearer ${value}` })
    expect([await call({}), await bearer('x'), await bearer('xoxb-gone')]).toEqual([
      'not_authed',
      'invalid_auth',
      'account_inactive',
    ])
  })
})

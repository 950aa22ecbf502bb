import { type ChatPlatform, PlatformError } from '../../app/ports/chat-platform.ts'
import { cut } from '../../domain/text.ts'
import { type SlackApi, timeoutMs } from './api.ts'
import { placeOf } from './fields.ts'
import { isSlacks } from './hosts.ts'
import type { SlackSecret } from './secret.ts'

export function slackFiles(
  api: SlackApi,
  readSecret: () => Promise<SlackSecret>,
): Pick<ChatPlatform, 'sendFile' | 'fetchFile'> {
  /** @throws PlatformError unless the address is Slack's and the request succeeds */
  const request = async (address: string | undefined, init: RequestInit): Promise<Response> => {
    if (!address || !isSlacks(address, await readSecret()))
      throw new PlatformError('refused', 'The file’s address is not Slack’s.')
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, { ...init, redirect: 'manual', signal }).catch(() => null)
    if (response?.ok) return response
    await response?.body?.cancel()
    if (!response || response.status >= 500) throw new PlatformError('unavailable', 'Slack’s files did not answer.')
    if (response.status === 429)
      throw new PlatformError(
        'rate-limited',
        'Slack asks us to wait.',
        (Number(response.headers.get('retry-after')) || 1) * 1000,
      )
    throw new PlatformError('refused', `Slack’s files answered with the status ${response.status}.`)
  }

  return {
    async sendFile({ chat, context: { thread } }, { name, content }) {
      const { team, channel } = placeOf(chat)
      const filename = cut(name, 255) || 'file'
      const length = content.byteLength
      const { upload_url, file_id } = await api.call(team, (client) =>
        client.files.getUploadURLExternal({ filename, length }),
      )
      if (!file_id) throw new PlatformError('unavailable', 'Slack named no file.')
      const sent = await request(upload_url, { method: 'POST', body: new Uint8Array(content) })
      await sent.body?.cancel()
      const files: [{ id: string; title: string }] = [{ id: file_id, title: filename }]
      await api.call(team, (client) =>
        thread
          ? client.files.completeUploadExternal({ files, channel_id: channel, thread_ts: thread })
          : client.files.completeUploadExternal({ files, channel_id: channel }),
      )
      return { messageId: file_id }
    },

    fetchFile: (chat, { ref }, maxBytes) =>
      api.call(placeOf(chat).team, async (client, token) => {
        const { file } = await client.files.info({ file: ref })
        if ((file?.size ?? 0) > maxBytes) throw tooLarge(maxBytes)
        const response = await request(file?.url_private_download ?? file?.url_private, {
          headers: { authorization: `Bearer ${token}` },
        })
        return readBounded(response, maxBytes)
      }),
  }
}

const tooLarge = (maxBytes: number) => new PlatformError('refused', `The file is larger than ${maxBytes} bytes.`)

/** Enforces the limit while reading, whatever size the file declares. */
async function readBounded({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof PlatformError ? error : new PlatformError('unavailable', 'Slack’s files broke off.')
  }
  return Buffer.concat(chunks)
}

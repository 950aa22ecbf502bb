import * as z from 'zod'
import { findById } from '../../kit/records.ts'
import { optional, required, structured } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { fileObject } from '../files.ts'
import { newId } from '../store.ts'
import { type Method, writable } from './method.ts'
import { post } from './posted.ts'

/** Bytes of a file, at most. */
const most = 1024 ** 3

const named = z.array(z.object({ id: z.string(), title: z.string().optional() })).min(1)

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
}

/** Slack tells a file's type by its name. */
export const typeOf = (name: string): string =>
  types[name.split('.').pop()?.toLowerCase() ?? ''] ?? 'application/octet-stream'

export const fileMethods: Record<string, Method> = {
  'files.getUploadURLExternal': {
    tier: 4,
    run(given, team, { store, origin }) {
      const [name, size] = [required(given, 'filename'), Number(required(given, 'length'))]
      if (!Number.isInteger(size) || size <= 0)
        throw new SlackError('invalid_arguments', '[ERROR] must be a positive integer: length')
      if (size > most) throw new SlackError('file_upload_size_restricted')
      const id = newId('F')
      const about = { mimetype: typeOf(name), user: team.botUserId, base64: null, shared: false }
      store.value.files[id] = { id, teamId: team.id, name, size, ...about }
      store.save()
      return { upload_url: `${origin()}/upload/v1/${id}`, file_id: id }
    },
  },
  'files.completeUploadExternal': {
    tier: 4,
    run(given, team, context) {
      const { store, origin } = context
      const wanted = structured(given, 'files', named, 'invalid_arguments') ?? []
      const files = wanted.map(({ id, title }) => {
        const file = findById(store.value.files, id)
        if (!file || file.teamId !== team.id) throw new SlackError('file_not_found')
        const bytes = file.base64 === null ? -1 : Buffer.from(file.base64, 'base64').length
        if (bytes !== file.size)
          throw new SlackError('file_not_found', '[ERROR] the bytes are not there, or not as many as were announced')
        if (title) file.name = title
        return file
      })
      if (optional(given, 'channel_id') !== undefined) {
        const channel = writable(context, team, { ...given, channel: given.channel_id })
        for (const file of files) file.shared = true
        post(context, team, {
          text: optional(given, 'initial_comment') ?? '',
          blocks: [],
          format: 'text',
          channel: channel.id,
          threadTs: optional(given, 'thread_ts') ?? null,
          files: files.map(({ id }) => id),
        })
      }
      return { files: files.map((file) => fileObject(file, origin())) }
    },
  },
  'files.info': {
    tier: 4,
    run(given, team, { store, origin }) {
      const file = findById(store.value.files, required(given, 'file'))
      if (!file || file.teamId !== team.id) throw new SlackError('file_not_found')
      return { file: fileObject(file, origin()) }
    },
  },
}

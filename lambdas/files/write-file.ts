import * as z from 'zod'
import { requireStored } from '../../app/chat/attachments.ts'
import { changeVolume, taskStatus } from '../../app/files/change-volume.ts'
import { filePath } from '../../domain/agent/task.ts'
import { attachmentId } from '../../domain/chat/attachment.ts'
import { invalid } from '../../domain/errors.ts'
import { replaces } from '../../domain/files/change.ts'
import { maxInlineBytes } from '../../domain/files/write-limits.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

const input = z.strictObject({
  path: filePath.min(1).meta({ description: 'The file’s path on the volume. Its folder must exist.' }),
  replaces: replaces.default('nothing'),
  text: z
    .string()
    .max(maxInlineBytes)
    .optional()
    .meta({ description: 'The whole content as UTF-8, at most 64 KiB.', example: 'High tide at noon.' }),
  base64: z
    .base64()
    .max(Math.ceil(maxInlineBytes / 3) * 4)
    .optional()
    .meta({ description: 'The whole content, at most 64 KiB.', example: 'SGlnaCB0aWRl' }),
  attachment: attachmentId
    .optional()
    .meta({ description: 'The whole content, uploaded with `createAttachment`; for larger files.' }),
})

export const writeFile = operation({
  ...volumeTask,
  id: 'writeFile',
  summary: 'Write a file',
  description:
    'Send one of `text`, `base64` and `attachment`. The file is written completely or not at all. The request gets ' +
    '409 if the present file is not the one in `replaces`. 202 means that a volume worker has to start first: poll ' +
    '`getFilesTask` for `task`.',
  http: { method: 'PUT', path: '/instance/files/{path+}', status: taskStatus },
  input,
  exampleInput: { path: 'workspace/tides.md', replaces: 'nothing', text: 'High tide at noon.' },
  uses: { attachments: 'read', attachmentFiles: 'read', bus: 'write', instances: 'read', tasks: 'write' },
  run: async ({ input: { path, replaces, ...source }, actor: { userId }, deps, now, outboxFor }) => {
    const content = contentOf(source)
    const [stored] = source.attachment
      ? await requireStored(deps, { userId, role: 'user' }, [source.attachment], now)
      : []
    const upload = stored ? { id: stored.id, bytes: stored.bytes, sha256: stored.sha256 } : null
    const job = { kind: 'write' as const, path, replaces, content, upload }
    return { task: await changeVolume(deps, { userId, outboxFor, record: path, now }, job) }
  },
})

/** Base64; null for an upload. @throws validation unless the content was given in exactly one way */
function contentOf({ text, base64, attachment }: Pick<z.output<typeof input>, 'text' | 'base64' | 'attachment'>) {
  if ([text, base64, attachment].filter((each) => each !== undefined).length !== 1)
    throw invalid('text', 'give one of text, base64 and attachment.')
  if (text === undefined) return base64 ?? null
  const bytes = Buffer.from(text)
  if (bytes.length > maxInlineBytes) throw invalid('text', `at most ${maxInlineBytes} bytes; upload a larger text.`)
  return bytes.toString('base64')
}

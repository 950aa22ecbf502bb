import { area } from '../kit/area.ts'
import { getFile } from './get-file.ts'

/** A slow reader holds an execution for the whole download, so downloads do not share the reserve of other file work. */
export const fileDownloadsArea = area({
  name: 'file-downloads',
  tag: 'files',
  operations: [getFile],
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 60,
})

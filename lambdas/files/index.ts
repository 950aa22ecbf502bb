import { area } from '../kit/area.ts'
import { createExport } from './create-export.ts'
import { createRestorePoint } from './create-restore-point.ts'
import { getFile } from './get-file.ts'
import { getFilesTask } from './get-files-task.ts'
import { getRestorePoint } from './get-restore-point.ts'
import { listFiles } from './list-files.ts'
import { listRestorePointFiles } from './list-restore-point-files.ts'
import { listRestorePoints } from './list-restore-points.ts'
import { restoreFiles } from './restore-files.ts'

/** Streams, because a file is relayed as it comes. */
export const filesArea = area({
  name: 'files',
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 100,
  operations: [
    listFiles,
    getFile,
    listRestorePoints,
    createRestorePoint,
    getRestorePoint,
    listRestorePointFiles,
    restoreFiles,
    createExport,
    getFilesTask,
  ],
})

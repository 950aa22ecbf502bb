import { area } from '../kit/area.ts'
import { compareRestorePoint } from './compare-restore-point.ts'
import { createExport } from './create-export.ts'
import { createFolder } from './create-folder.ts'
import { createRestorePoint } from './create-restore-point.ts'
import { deleteFile } from './delete-file.ts'
import { getFilesTask } from './get-files-task.ts'
import { getReplyChanges } from './get-reply-changes.ts'
import { getRestorePoint } from './get-restore-point.ts'
import { listFiles } from './list-files.ts'
import { listRestorePointFiles } from './list-restore-point-files.ts'
import { listRestorePoints } from './list-restore-points.ts'
import { moveFile } from './move-file.ts'
import { restoreFiles } from './restore-files.ts'
import { searchFiles } from './search-files.ts'
import { undoReply } from './undo-reply.ts'
import { writeFile } from './write-file.ts'

/** The area streams, because an answer may wait for the machine for longer than a buffered one is allowed to. */
export const filesArea = area({
  name: 'files',
  about: 'The files on the machine’s volume, and its restore points.',
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 70,
  operations: [
    listFiles,
    listRestorePoints,
    createRestorePoint,
    getRestorePoint,
    listRestorePointFiles,
    restoreFiles,
    createExport,
    getFilesTask,
    writeFile,
    createFolder,
    moveFile,
    deleteFile,
    searchFiles,
    compareRestorePoint,
    getReplyChanges,
    undoReply,
  ],
})

import { area } from '../kit/area.ts'
import { deleteAccount } from './delete-account.ts'
import { exportAccount } from './export-account.ts'
import { getAccount } from './get-account.ts'
import { listAudit } from './list-audit.ts'
import { listNotices } from './list-notices.ts'
import { updateAccount } from './update-account.ts'

export const accountArea = area({
  name: 'account',
  about: 'Your account: its e-mail address, its activity, its export, and its end.',
  operations: [getAccount, updateAccount, exportAccount, deleteAccount, listAudit, listNotices],
})

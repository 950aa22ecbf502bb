import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { deleteAccount } from './delete-account.ts'
import { exportAccount } from './export-account.ts'
import { getAccount } from './get-account.ts'
import { listAudit } from './list-audit.ts'
import { updateAccount } from './update-account.ts'

export const accountArea = area({
  name: 'account',
  access,
  operations: [getAccount, updateAccount, exportAccount, deleteAccount, listAudit],
})

import { berth } from '../api/client.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActDialog, type UserActProps } from './act-dialog.tsx'

export type MachineAction = 'retry' | 'stop' | 'refresh'

export const MachineActDialog = ({ action, user, person, onClose }: UserActProps & { action: MachineAction }) => (
  <ActDialog
    title={words.machine.title(action, person)}
    hint={action === 'stop' ? words.machine.stopHint : undefined}
    danger={action === 'stop'}
    act={(reason) => berth.changeUserMachine({ user, action, reason })}
    onClose={onClose}
  />
)

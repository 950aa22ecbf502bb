import { area } from '../kit/area.ts'
import { broadcastNotice } from './broadcast-notice.ts'
import { changeRollout } from './change-rollout.ts'
import { changeTrials } from './change-trials.ts'
import { changeUserMachine } from './change-user-machine.ts'
import { checkBooks } from './check-books.ts'
import { creditUser } from './credit-user.ts'
import { endView } from './end-view.ts'
import { findUser } from './find-user.ts'
import { getBooks } from './get-books.ts'
import { getFleet } from './get-fleet.ts'
import { getOperator } from './get-operator.ts'
import { getRollout } from './get-rollout.ts'
import { getTotals } from './get-totals.ts'
import { getTrials } from './get-trials.ts'
import { getUser } from './get-user.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { listOperatorNotices } from './list-operator-notices.ts'
import { listOperatorsTrail } from './list-operators-trail.ts'
import { listUsers } from './list-users.ts'
import { refundUser } from './refund-user.ts'
import { replayDeadLetter } from './replay-dead-letter.ts'
import { suspendUser } from './suspend-user.ts'
import { unsuspendUser } from './unsuspend-user.ts'
import { viewUser } from './view-user.ts'
import { viewUserMessages } from './view-user-messages.ts'
import { withdrawNotice } from './withdraw-notice.ts'

/** A separate function, so that no other function has the operators' permissions. */
export const operatorArea = area({
  name: 'operator',
  about: 'For the operators of this service only.',
  operations: [
    getOperator,
    getTotals,
    listUsers,
    findUser,
    getUser,
    creditUser,
    refundUser,
    suspendUser,
    unsuspendUser,
    changeUserMachine,
    viewUser,
    viewUserMessages,
    endView,
    getFleet,
    getBooks,
    checkBooks,
    getRollout,
    getTrials,
    changeTrials,
    changeRollout,
    listDeadLetters,
    replayDeadLetter,
    listOperatorNotices,
    broadcastNotice,
    withdrawNotice,
    listOperatorsTrail,
  ],
})

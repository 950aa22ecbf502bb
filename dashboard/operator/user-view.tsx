import { useState } from 'react'
import type { UserOverview } from '../../clients/typescript/operations.ts'
import { refresh, useRead } from '../api/cache.ts'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { Loading } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { showBalance, showDay } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { FailedCalls } from './failed-calls.tsx'
import { Letters } from './letters.tsx'
import { MachineActDialog, type MachineAction } from './machine-act.tsx'
import { CreditDialog, RefundDialog, SuspensionDialog } from './money-acts.tsx'
import { TrailLines } from './trail-lines.tsx'
import { ViewDialog } from './view-acts.tsx'

type Payment = UserOverview['payments'][number]
type ViewAct = 'view' | 'viewWithMessages'
type Open =
  | { act: 'credit' | 'suspend' | 'unsuspend' | ViewAct }
  | { act: 'refund'; payment: Payment }
  | { act: MachineAction }

export function UserView({ user, maxCents }: { user: string; maxCents: number }) {
  const { data, problem, reload } = useRead('getUser', { user })
  const { data: failed } = useRead('listDeadLetters', { user })
  const [open, setOpen] = useState<Open | null>(null)
  if (!data) return <Loading problem={problem} retry={reload} />
  const person = data.account.email
  const close = (done: boolean) => {
    setOpen(null)
    if (done) refresh('getUser', 'getFleet', 'listDeadLetters', 'getOperator')
  }
  return (
    <>
      <div className="two-columns">
        <AccountCard data={data} onOpen={(act) => setOpen({ act })} />
        <WalletCard data={data} onOpen={(act) => setOpen({ act })} />
      </div>
      <MachineCard data={data} onOpen={(act) => setOpen({ act })} />
      <PaymentsCard payments={data.payments} onRefund={(payment) => setOpen({ act: 'refund', payment })} />
      <section aria-labelledby="failed-calls-title">
        <h2 id="failed-calls-title">{words.failedCalls.title}</h2>
        <FailedCalls calls={data.failedCalls} />
      </section>
      <section aria-labelledby="failed-title">
        <h2 id="failed-title">{words.users.failed}</h2>
        {failed && <Letters letters={failed.letters} none={words.letters.noneOfUser} />}
      </section>
      <section aria-labelledby="audit-title">
        <h2 id="audit-title">{words.users.audit}</h2>
        <TrailLines lines={data.audit} none={words.users.noAudit} />
      </section>
      {(open?.act === 'view' || open?.act === 'viewWithMessages') && (
        <ViewDialog messages={open.act === 'viewWithMessages'} user={user} person={person} onClose={close} />
      )}
      {open?.act === 'credit' && <CreditDialog user={user} person={person} maxCents={maxCents} onClose={close} />}
      {open?.act === 'refund' && (
        <RefundDialog user={user} person={person} payment={open.payment} maxCents={maxCents} onClose={close} />
      )}
      {(open?.act === 'suspend' || open?.act === 'unsuspend') && (
        <SuspensionDialog act={open.act} user={user} person={person} onClose={close} />
      )}
      {(open?.act === 'retry' || open?.act === 'stop' || open?.act === 'refresh') && (
        <MachineActDialog action={open.act} user={user} person={person} onClose={close} />
      )}
    </>
  )
}

interface CardProps<A> {
  data: UserOverview
  onOpen: (act: A) => void
}

const AccountCard = ({ data: { account, eraseAt, returnedMails, subscription }, onOpen }: CardProps<ViewAct>) => (
  <section className="card" aria-labelledby="account-title">
    <h2 id="account-title">{words.users.account}</h2>
    <dl className="facts-list">
      <Fact name="E-mail">{account.email}</Fact>
      {(returnedMails.bouncedAt || returnedMails.complainedAt) && (
        <Fact name={words.users.mails}>
          {[
            returnedMails.bouncedAt && words.users.bounced(showDay(returnedMails.bouncedAt)),
            returnedMails.complainedAt && words.users.complained(showDay(returnedMails.complainedAt)),
          ]
            .filter(Boolean)
            .join(', ')}
        </Fact>
      )}
      <Fact name="Id">
        <code>{account.id}</code>
      </Fact>
      <Fact name={words.users.since}>
        {eraseAt ? words.users.erased(showDay(eraseAt)) : showDay(account.createdAt)}
      </Fact>
      <Fact name={words.users.plan}>
        {subscription.plan ? `${subscription.plan}, ${subscription.status}` : words.users.noPlan}
      </Fact>
    </dl>
    <div className="buttons">
      <Button onClick={() => onOpen('view')}>{words.view.open}</Button>
      <Button onClick={() => onOpen('viewWithMessages')}>{words.view.openWithMessages}</Button>
    </div>
  </section>
)

const WalletCard = ({ data: { wallet, suspendedBecause }, onOpen }: CardProps<'credit' | 'suspend' | 'unsuspend'>) => (
  <section className="card" aria-labelledby="wallet-title">
    <h2 id="wallet-title">{words.users.wallet}</h2>
    <dl className="facts-list">
      <Fact name={words.users.balance}>
        <Money micros={wallet.balanceMicros} />
      </Fact>
      <Fact name={words.users.held}>
        <Money micros={wallet.heldMicros} />
      </Fact>
      <Fact name={words.users.owed}>
        <Money micros={wallet.owedMicros} />
      </Fact>
    </dl>
    <p>{suspendedBecause === null ? words.users.spends : words.users.suspended(suspendedBecause)}</p>
    <div className="buttons">
      <Button onClick={() => onOpen('credit')}>{words.credit.open}</Button>
      {suspendedBecause === null ? (
        <Button variant="danger" onClick={() => onOpen('suspend')}>
          {words.suspend.open}
        </Button>
      ) : (
        <Button onClick={() => onOpen('unsuspend')}>{words.unsuspend.open}</Button>
      )}
    </div>
  </section>
)

const MachineCard = ({ data: { instance }, onOpen }: CardProps<MachineAction>) => (
  <section className="card" aria-labelledby="machine-title">
    <h2 id="machine-title">{words.users.machine}</h2>
    {!instance && <p className="muted">{words.users.noMachine}</p>}
    {instance && (
      <>
        <p>
          <StatePill state={instance.state} /> {instance.explanation}
        </p>
        <p className="muted">
          <code>{instance.id}</code> · {instance.imageVersion.split('@')[0]}
        </p>
        <div className="buttons">
          <Button disabled={instance.state !== 'failed'} onClick={() => onOpen('retry')}>
            {words.machine.retry}
          </Button>
          <Button onClick={() => onOpen('refresh')}>{words.machine.refresh}</Button>
          <Button variant="danger" onClick={() => onOpen('stop')}>
            {words.machine.stop}
          </Button>
        </div>
      </>
    )}
  </section>
)

const PaymentsCard = ({ payments, onRefund }: { payments: Payment[]; onRefund: (payment: Payment) => void }) => (
  <section aria-labelledby="payments-title">
    <h2 id="payments-title">{words.users.payments}</h2>
    {payments.length === 0 && <p className="muted">{words.users.noPayments}</p>}
    {payments.length > 0 && (
      <ul className="card rows">
        {payments.map((payment) => (
          <li key={payment.name} className="row">
            <div className="row-text">
              <p className="row-name">
                <Money micros={payment.amountMicros} /> <code>{payment.name}</code>
              </p>
              {payment.takenBackMicros > 0 && (
                <p className="muted">{words.users.takenBack(showBalance(payment.takenBackMicros))}</p>
              )}
            </div>
            {payment.takenBackMicros < payment.amountMicros && (
              <Button of={payment.name} onClick={() => onRefund(payment)}>
                {words.refund.open}
              </Button>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
)

import type { UserOverview } from '../../clients/typescript/operations.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { Loading } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showBalance, showDay, showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton, DialogButton } from './act-dialog.tsx'
import { FailedCalls } from './failed-calls.tsx'
import { Letters } from './letters.tsx'
import { CreditDialog, RefundDialog } from './money-acts.tsx'
import { TrailLines } from './trail-lines.tsx'
import { ViewButton } from './view-acts.tsx'

interface CardProps {
  data: UserOverview
  maxCents: number
}

export function UserView({ user, maxCents }: { user: string; maxCents: number }) {
  const { data, problem, reload } = useRead('getUser', { user })
  const { data: failed } = useRead('listDeadLetters', { user })
  if (!data) return <Loading problem={problem} retry={reload} />
  return (
    <>
      <div className="two-columns">
        <AccountCard data={data} />
        <WalletCard data={data} maxCents={maxCents} />
      </div>
      <MachineCard data={data} />
      <PaymentsCard data={data} maxCents={maxCents} />
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
        <TrailLines lines={data.audit} none={words.users.noAudit} owner={data.account.id} />
      </section>
    </>
  )
}

const AccountCard = ({ data: { account, eraseAt, returnedMails, subscription } }: Pick<CardProps, 'data'>) => (
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
      <ViewButton user={account.id} person={account.email} messages={false} />
      <ViewButton user={account.id} person={account.email} messages />
    </div>
  </section>
)

function WalletCard({ data: { account, wallet, suspendedBecause }, maxCents }: CardProps) {
  const { id: user, email: person } = account
  const act = suspendedBecause === null ? 'suspend' : 'unsuspend'
  return (
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
        <DialogButton
          dialog={(close) => <CreditDialog user={user} person={person} maxCents={maxCents} onClose={close} />}
        >
          {words.credit.open}
        </DialogButton>
        <ActButton
          label={words[act].open}
          title={words[act].title(person)}
          danger={act === 'suspend'}
          act={(reason) =>
            act === 'suspend' ? berth.suspendUser({ user, reason }) : berth.unsuspendUser({ user, reason })
          }
        />
      </div>
    </section>
  )
}

const MachineCard = ({ data: { account, instance } }: Pick<CardProps, 'data'>) => (
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
          {(['retry', 'refresh', 'stop'] as const).map((action) => (
            <ActButton
              key={action}
              label={words.machine[action]}
              title={words.machine.title(action, account.email)}
              hint={action === 'stop' ? words.machine.stopHint : undefined}
              disabled={action === 'retry' && instance.state !== 'failed'}
              danger={action === 'stop'}
              act={(reason) => berth.changeUserMachine({ user: account.id, action, reason })}
            />
          ))}
        </div>
      </>
    )}
  </section>
)

const PaymentsCard = ({ data: { account, payments }, maxCents }: CardProps) => (
  <section aria-labelledby="payments-title">
    <h2 id="payments-title">{words.users.payments}</h2>
    {payments.length === 0 && <p className="muted">{words.users.noPayments}</p>}
    {payments.length > 0 && (
      <ul className="card rows">
        {payments.map((payment) => (
          <li key={payment.name} className="row">
            <div className="row-text">
              <p className="row-name">
                <Money micros={payment.amountMicros} /> {words.users.paymentKinds[payment.kind]}
              </p>
              <p className="muted">
                {payment.at && `${showDayTime(payment.at)} · `}
                <code>{payment.name}</code>
              </p>
              {payment.takenBackMicros > 0 && (
                <p className="muted">{words.users.takenBack(showBalance(payment.takenBackMicros))}</p>
              )}
            </div>
            {payment.takenBackMicros < payment.amountMicros && (
              <DialogButton
                of={payment.name}
                dialog={(close) => (
                  <RefundDialog
                    user={account.id}
                    person={account.email}
                    payment={payment}
                    maxCents={maxCents}
                    onClose={close}
                  />
                )}
              >
                {words.refund.open}
              </DialogButton>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
)

import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { Step } from '../components/step.tsx'
import { showBalance } from '../format.ts'
import { reachable } from '../labels.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

const { firstSteps: words } = texts.chat

export function FirstSteps({ status }: { status: InstanceStatus }) {
  const { subscription, trial, wallet, instance } = status
  const subscribed =
    subscription.status === 'active' ||
    subscription.status === 'past_due' ||
    (trial !== null && instance !== null && reachable(instance))
  const funded = wallet.balanceMicros + wallet.heldMicros > 0
  const ready = subscribed && funded && instance !== null
  return (
    <div className="first-steps">
      <h2>{ready ? words.ready : words.welcome}</h2>
      <p className="muted">{ready ? words.readyText : words.welcomeText}</p>
      <ol className="steps">
        <Step done={subscribed} next={!subscribed} number={1} title={words.subscribe}>
          {subscribed ? words.subscribed : words.subscribeText}
          {!subscribed && (
            <Link to="/instance" className="button primary">
              {words.seePlans}
            </Link>
          )}
        </Step>
        <Step done={funded} next={subscribed && !funded} number={2} title={words.topUp}>
          {funded ? words.funded(showBalance(wallet.balanceMicros)) : words.topUpText}
          {subscribed && (
            <Link to="/wallet" className={funded ? 'button plain' : 'button primary'}>
              {funded ? words.addMore : words.topUp}
            </Link>
          )}
        </Step>
        <Step done={false} next={ready} number={3} title={words.sayHello}>
          {ready ? words.write : words.thenWrite}
        </Step>
      </ol>
    </div>
  )
}

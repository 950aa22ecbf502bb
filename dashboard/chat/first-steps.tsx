import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { Step } from '../components/step.tsx'
import { showBalance } from '../format.ts'
import { Link } from '../router.tsx'

/** The empty chat: the three things between a new account and the first reply, with the next one to do. */
export function FirstSteps({ status }: { status: InstanceStatus }) {
  const { subscription, wallet, instance } = status
  const subscribed = subscription.status === 'active' || subscription.status === 'past_due'
  const funded = wallet.balanceMicros + wallet.heldMicros > 0
  const ready = subscribed && funded && instance !== null
  return (
    <div className="first-steps">
      <h2>{ready ? 'Your agent is ready' : 'Welcome aboard'}</h2>
      <p className="muted">
        {ready ? 'Ask it something, or give it a job to do.' : 'Three steps to your own agent, on its own machine.'}
      </p>
      <ol className="steps">
        <Step done={subscribed} next={!subscribed} number={1} title="Subscribe">
          {subscribed
            ? 'Your plan keeps a machine and its files for your agent.'
            : 'A plan gives your agent a machine of its own, with files that stay.'}
          {!subscribed && (
            <Link to="/instance" className="button primary">
              See the plans
            </Link>
          )}
        </Step>
        <Step done={funded} next={subscribed && !funded} number={2} title="Top up">
          {funded
            ? `${showBalance(wallet.balanceMicros)} to spend. Each reply costs what its model call costs, with a receipt.`
            : 'Replies are paid from a prepaid wallet, so they can never cost more than you put in.'}
          {subscribed && (
            <Link to="/wallet" className={funded ? 'button plain' : 'button primary'}>
              {funded ? 'Add more' : 'Top up'}
            </Link>
          )}
        </Step>
        <Step done={false} next={ready} number={3} title="Say hello">
          {ready ? 'Write below. Your agent remembers what you tell it.' : 'Then write to your agent right here.'}
        </Step>
      </ol>
    </div>
  )
}

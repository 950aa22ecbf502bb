import type { LedgerTotals } from '../../clients/typescript/operations.ts'
import { Fact } from '../components/fact.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { showBalance, showCount, showDayTime } from '../format.ts'
import { Link } from '../router.tsx'
import { operatorTexts } from '../texts/operator.ts'

const words = operatorTexts.totals

export function TotalsCard() {
  const { data, problem, reload } = useRead('getTotals')
  return (
    <section className="card" aria-labelledby="totals-title">
      <h2 id="totals-title">{words.title}</h2>
      {!data && <Loading problem={problem} retry={reload} />}
      {data && (
        <>
          <dl className="operator-totals">
            <Fact name={words.awake}>
              <Link to="/operator?state=awake">
                {showCount(data.machines.awake)}
                {!data.machines.complete && '+'}
              </Link>
            </Fact>
            <Fact name={words.trouble}>
              <Link to="/operator?section=fleet">{words.troubled(data.machines.failed, data.machines.stuck)}</Link>
            </Fact>
            {data.ledger && <LedgerFacts sums={data.ledger} />}
          </dl>
          <p className="muted">
            {data.ledger ? words.week(showDayTime(data.ledger.from), showDayTime(data.ledger.to)) : words.notYet}{' '}
            <Link to="/operator?section=books">{words.check}</Link>
          </p>
        </>
      )}
    </section>
  )
}

const LedgerFacts = ({ sums }: { sums: LedgerTotals }) => (
  <>
    <Fact name={words.moneyIn}>
      {showBalance(sums.moneyInMicros)}
      <small>
        {words.moneyParts(
          showBalance(sums.toppedUpMicros),
          showBalance(sums.planMicros),
          showBalance(sums.takenBackMicros),
        )}
      </small>
    </Fact>
    <Fact name={words.margin}>
      {showBalance(sums.marginMicros)}
      <small>{words.ofCharged(showBalance(sums.chargedMicros))}</small>
    </Fact>
    <Fact name={words.failedCalls}>
      {showShare(sums.failedCalls, sums.calls + sums.failedCalls)}
      <small>{words.ofCalls(sums.failedCalls, sums.calls + sums.failedCalls)}</small>
    </Fact>
    <Fact name={words.firstWord}>
      {sums.firstWord.messages === 0 ? words.noMessages : words.within(seconds(sums.firstWord.halfWithinMs))}
      {sums.firstWord.messages > 0 && (
        <small>{words.mostWithin(seconds(sums.firstWord.mostWithinMs), sums.firstWord.messages)}</small>
      )}
    </Fact>
  </>
)

/** Null: longer than the longest time that is counted. */
const seconds = (ms: number | null): string => (ms === null ? words.minute : words.seconds(ms / 1_000))

const showShare = (part: number, all: number): string => `${all === 0 ? 0 : Math.round((part / all) * 1_000) / 10} %`

import { formatMicros } from '../../domain/dollars.ts'
import { hourCacheFactor } from '../../domain/models/cost.ts'
import type { Transaction, UsageReceipt } from '../../domain/wallet/ledger.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { showCount, showPriceShare } from '../format.ts'
import { triggerLabel } from '../labels.ts'

const settledBecauseLabels: Record<UsageReceipt['settledBecause'], string> = {
  usage: 'the provider’s own token count',
  interrupted: 'tokens counted up to the interruption',
  'upstream-error': 'the provider failed; only what it delivered counts',
  expired: 'the hold ran out before the call reported back',
}

/** Everything that makes the amount, so that anyone can check the sum. */
export function Receipt({ line }: { line: Transaction }) {
  const { receipt } = line
  return (
    <div className="receipt">
      {receipt && <Sum receipt={receipt} />}
      <dl className="facts-list">
        <Fact name="Wallet after this line">
          <Money micros={line.balanceMicros} />
        </Fact>
        {receipt && (
          <>
            <Fact name="Model">
              {receipt.model} by {receipt.provider}
            </Fact>
            <Fact name="Price list">
              {receipt.priceVersion}
              {receipt.markup > 0 && `, ${receipt.markup / 100} % markup included`}
            </Fact>
            <Fact name="Settled on">{settledBecauseLabels[receipt.settledBecause]}</Fact>
            <Fact name="Held before the call">
              <Money micros={receipt.heldMicros} />
            </Fact>
            <Fact name="Started by">{triggerLabel(receipt.trigger)}</Fact>
            <Fact name="Duration">
              {seconds(receipt.durationMs)}
              {receipt.firstByteMs !== null && `, first words after ${seconds(receipt.firstByteMs)}`}
            </Fact>
            <Fact name="Call">
              <code>{receipt.callId}</code>
            </Fact>
          </>
        )}
        <Fact name="Transaction">
          <code>{line.id}</code>
        </Fact>
      </dl>
    </div>
  )
}

function Sum({ receipt }: { receipt: UsageReceipt }) {
  const { unitPrices, cacheWriteHourTokens: forHour = 0 } = receipt
  const all = [
    { kind: 'Input', tokens: receipt.inputTokens, price: unitPrices.input },
    { kind: 'Cached input', tokens: receipt.cachedInputTokens, price: unitPrices.cachedInput },
    { kind: 'Cache write', tokens: receipt.cacheWriteTokens - forHour, price: unitPrices.cacheWrite },
    ...(forHour > 0
      ? [{ kind: 'Cache write for an hour', tokens: forHour, price: hourCacheFactor * unitPrices.input }]
      : []),
    ...(receipt.searches
      ? [{ kind: 'Web search', tokens: receipt.searches, price: (receipt.searchMicros ?? 0) * 1e6 }]
      : []),
    { kind: 'Output', tokens: receipt.outputTokens, price: unitPrices.output },
  ]
  return (
    <div className="table-frame">
      <table>
        <caption className="visually-hidden">How the amount is made</caption>
        <thead>
          <tr>
            <th scope="col">Tokens</th>
            <th scope="col">Count</th>
            <th scope="col">Per million</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {all
            .filter(({ kind, tokens }) => tokens > 0 || kind === 'Input' || kind === 'Output')
            .map(({ kind, tokens, price }) => (
              <tr key={kind}>
                <th scope="row">
                  {kind}
                  {kind === 'Output' && receipt.reasoningTokens > 0 && (
                    <span className="muted"> ({showCount(receipt.reasoningTokens)} reasoning)</span>
                  )}
                </th>
                <td>{showCount(tokens)}</td>
                <td>{formatMicros(price)}</td>
                <td>{showPriceShare(tokens, price)}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Charged, rounded up to a millionth of a dollar
            </th>
            <td>{formatMicros(receipt.settledMicros)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

import { formatMicros } from '../../domain/dollars.ts'
import { hourCacheFactor } from '../../domain/models/cost.ts'
import type { Transaction, UsageReceipt } from '../../domain/wallet/ledger.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { showCount, showPriceShare } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'
import { triggerName } from './names.ts'
import '../styles/receipt.css'

/** All factors of the amount, so that anyone can check the sum. */
export function Receipt({ line }: { line: Transaction }) {
  const { receipt } = line
  const words = walletTexts.receipt
  return (
    <div className="receipt">
      {receipt && <Sum receipt={receipt} />}
      <dl className="facts-list">
        <Fact name={words.after}>
          <Money micros={line.balanceMicros} />
        </Fact>
        {receipt && (
          <>
            <Fact name={words.model}>{words.by(receipt.model, receipt.provider)}</Fact>
            <Fact name={words.prices}>
              {receipt.priceVersion}
              {receipt.markup > 0 && words.markup(receipt.markup / 100)}
            </Fact>
            <Fact name={words.settledOn}>{words.settled[receipt.settledBecause]}</Fact>
            <Fact name={words.held}>
              <Money micros={receipt.heldMicros} />
            </Fact>
            <Fact name={words.startedBy}>{triggerName(receipt.trigger)}</Fact>
            <Fact name={words.duration}>
              {seconds(receipt.durationMs)}
              {receipt.firstByteMs !== null && words.firstWords(seconds(receipt.firstByteMs))}
            </Fact>
            <Fact name={words.call}>
              <code>{receipt.callId}</code>
            </Fact>
          </>
        )}
        <Fact name={words.transaction}>
          <code>{line.id}</code>
        </Fact>
      </dl>
    </div>
  )
}

function Sum({ receipt }: { receipt: UsageReceipt }) {
  const { unitPrices, cacheWriteHourTokens: forHour = 0 } = receipt
  const words = walletTexts.receipt
  const all = [
    { kind: words.input, tokens: receipt.inputTokens, price: unitPrices.input },
    { kind: words.cachedInput, tokens: receipt.cachedInputTokens, price: unitPrices.cachedInput },
    { kind: words.cacheWrite, tokens: receipt.cacheWriteTokens - forHour, price: unitPrices.cacheWrite },
    ...(forHour > 0
      ? [{ kind: words.cacheWriteHour, tokens: forHour, price: hourCacheFactor * unitPrices.input }]
      : []),
    ...(receipt.searches
      ? [{ kind: words.search, tokens: receipt.searches, price: (receipt.searchMicros ?? 0) * 1e6 }]
      : []),
    { kind: words.output, tokens: receipt.outputTokens, price: unitPrices.output },
  ]
  return (
    <div className="table-frame">
      <table>
        <caption className="visually-hidden">{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.tokens}</th>
            <th scope="col">{words.count}</th>
            <th scope="col">{words.perMillion}</th>
            <th scope="col">{words.cost}</th>
          </tr>
        </thead>
        <tbody>
          {all
            .filter(({ kind, tokens }) => tokens > 0 || kind === words.input || kind === words.output)
            .map(({ kind, tokens, price }) => (
              <tr key={kind}>
                <th scope="row">
                  {kind}
                  {kind === words.output && receipt.reasoningTokens > 0 && (
                    <span className="muted"> {words.reasoning(showCount(receipt.reasoningTokens))}</span>
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
              {words.charged}
            </th>
            <td>{formatMicros(receipt.settledMicros)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

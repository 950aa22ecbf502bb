/** `$12.34`, or as many decimals as a small amount needs (`$0.000123`). Free of imports: the dashboard bundles it. */
export function formatMicros(amountMicros: number): string {
  const sign = amountMicros < 0 ? '-' : ''
  const digits = String(Math.abs(amountMicros)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '')
  return `${sign}$${digits.slice(0, -6)}.${fraction}`
}

/** Names the sender and the receiver. */
export const Route = ({ from, to }: { from: string; to: string }) => (
  <p className="webhook-route">
    <span>{from}</span>
    <span>→</span>
    <span>{to}</span>
  </p>
)

/** In place of an empty list: why it is empty, and what fills it. */
export const Empty = ({ text, hint }: { text: string; hint: string }) => (
  <div className="card empty">
    <p>{text}</p>
    <p className="muted">{hint}</p>
  </div>
)

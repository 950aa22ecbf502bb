export const SourceText = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys
  <section className="file-text" tabIndex={0} aria-label={label}>
    <pre dir="auto">{text}</pre>
  </section>
)

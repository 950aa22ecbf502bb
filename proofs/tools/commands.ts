/** The commands of a document, each once: blocks in their order, then commands in sentences. */
export function commandsOf(markdown: string): string[] {
  // Code follows an empty line; other indented lines continue an item of a list.
  const blocks = markdown.match(/(?<=\n\n)(?:^ {4,}\S.*\n)+/gm) ?? []
  // A line that ends with a backslash continues on the next one.
  const lines = blocks.flatMap((block) => block.replaceAll(/ \\\n\s*/g, ' ').split('\n'))
  const typed = lines.map((line) => line.trim()).filter(Boolean)
  const spans = [...markdown.matchAll(/`((?:npm|npx|aws) [^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  )
  return [...new Set([...typed, ...spans])]
}

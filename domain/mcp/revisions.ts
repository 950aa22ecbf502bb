/** The revision of the protocol in which everything is a POST. */
export const newestRevision = '2026-07-28'

/** Those before it, in which GET opens a stream and DELETE ends a session. */
export const sessionRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

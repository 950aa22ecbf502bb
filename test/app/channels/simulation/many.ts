import { type EpisodeOptions, runEpisode } from './episode.ts'
import { openMemory } from './memory-world.ts'

/** The start of the first episode, and the approximate number of deliveries of each. */
export const startMs = Date.parse('2026-11-20T12:00:00.000Z')
const episodeDeliveries = 200

export interface ManyResult {
  episodes: number
  counts: Record<string, number>
  mistakes: string[]
}

/** Runs episodes, each with its own seed starting at the first, until enough deliveries were made. */
export async function runEpisodes(
  deliveries: number,
  firstSeed: number,
  { open = openMemory, progress = () => {} }: { open?: EpisodeOptions['open']; progress?: (made: number) => void } = {},
): Promise<ManyResult> {
  const counts: Record<string, number> = {}
  const mistakes: string[] = []
  let episodes = 0
  for (; (counts.deliveries ?? 0) < deliveries && mistakes.length < 50; episodes++) {
    const left = deliveries - (counts.deliveries ?? 0)
    const size = Math.min(episodeDeliveries, left)
    const result = await runEpisode({ seed: firstSeed + episodes, deliveries: size, startMs, open })
    for (const [name, count] of Object.entries(result.counts)) counts[name] = (counts[name] ?? 0) + count
    mistakes.push(...result.mistakes)
    if (episodes % 100 === 99) progress(counts.deliveries ?? 0)
  }
  return { episodes, counts, mistakes }
}

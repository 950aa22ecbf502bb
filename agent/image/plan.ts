import type { ImageFlavour, RuntimeManifest } from '../../domain/instance/runtime.ts'
import { flavours } from './flavours.ts'

export type Program = Pick<RuntimeManifest, 'name' | 'title' | 'npm' | 'redistributed' | 'licence' | 'image'>

const names = Object.keys(flavours) as ImageFlavour[] // safe because it is a Record of them

/**
 * The packages of an image. @param accepted runtimes whose licence the operator has accepted
 * @throws an error that names an unknown name, the flavour a runtime needs, or a licence that is not accepted
 */
export function planOf(
  flavour: string,
  runtimes: string[],
  manifestOf: (name: string) => Program | undefined,
  accepted: string[],
) {
  const rank = names.map(String).indexOf(flavour)
  if (rank < 0) throw new Error(`There is no flavour "${flavour}", only ${names.join(', ')}.`)
  const carried = runtimes.map((name) => {
    const manifest = manifestOf(name)
    if (!manifest) throw new Error(`There is no runtime "${name}".`)
    const { title, image, redistributed, licence } = manifest
    if (names.indexOf(image) > rank) throw new Error(`${title} needs the flavour ${image}.`)
    if (!redistributed && !accepted.includes(name))
      throw new Error(
        `${title} comes under its own licence (${licence}): add ACCEPT_LICENCES=${name} if you have accepted it.`,
      )
    return manifest
  })
  const content = names.slice(0, rank + 1).map((name) => flavours[name])
  return {
    debian: content.flatMap(({ debian }) => debian),
    pypi: content.flatMap(({ pypi }) => pypi),
    npm: content.flatMap(({ npm }) => npm),
    programs: carried.flatMap(({ npm }) => (npm ? [`${npm.name}@${npm.version}`] : [])),
  }
}

import { maxAttachments } from '../kit/limits.ts'
import { openFile } from '../volume/files.ts'
import type { Image } from './conversation.ts'
import { schema, string, type Tool, ToolError } from './tool.ts'

/** Reads images for the model; unreadable ones are left out. */
export async function readImages(volume: string, images: readonly { path: string; type: string }[]): Promise<Image[]> {
  const read = images.map(async ({ path, type }): Promise<Image[]> => {
    await using file = await openFile(volume, path)
    return [{ type, data: (await file.readFile()).toString('base64') }]
  })
  return (await Promise.all(read.map((each) => each.catch(() => [])))).flat()
}

export const sendFileTool = (volume: string, files: string[]): Tool => ({
  description: `Attaches a file of your workspace to your reply, so that your user can see or save it; ${maxAttachments} at most.`,
  parameters: schema({ path: string('Path relative to the workspace.') }),
  async run(args) {
    const path = `workspace/${args.text('path').replace(/^(\.\/)+/, '')}`
    await using file = await openFile(volume, path)
    if ((await file.stat()).size === 0) throw new ToolError('the file is empty')
    if (files.includes(path)) return 'it goes with your reply already'
    if (files.length === maxAttachments) throw new ToolError(`${maxAttachments} files go with a reply at most`)
    files.push(path)
    return 'it goes with your reply'
  },
})

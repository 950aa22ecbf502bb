/** Modules of a page at this path, as it loads them. */
async function pageAt(pathname: string) {
  Object.defineProperty(globalThis, 'location', { value: { pathname }, configurable: true })
  const { apiRoot, viewing } = await import('../../dashboard/viewing.ts')
  const { filePath } = await import('../../dashboard/data/operations.ts')
  return { apiRoot, viewing, filePath }
}

test('a page of a view requests everything below the view, pictures in messages too', async () => {
  const { apiRoot, viewing, filePath } = await pageAt('/view/files')
  expect([apiRoot, viewing]).toEqual(['/api/view', true])
  expect(filePath('notes/the tide.png', null)).toBe('/api/view/instance/files/notes/the%20tide.png')
})

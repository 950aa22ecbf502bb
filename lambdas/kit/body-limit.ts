/** Most bytes of a request's body, and the same in words. API Gateway refuses more than 10 MB by itself. */
export const maxBodyBytes = 4 * 1024 * 1024
export const maxBody = `${maxBodyBytes / 2 ** 20} MB`

/** Whether `npm start` serves this page: it answers no other host names. */
export const isLocal = (): boolean => ['127.0.0.1', 'localhost'].includes(window.location.hostname)

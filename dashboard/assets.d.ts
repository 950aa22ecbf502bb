/** The address of a file that Vite copies as it is. */
declare module '*?url' {
  const url: string
  export default url
}

/** A stylesheet, which Vite loads with its module. */
declare module '*.css'

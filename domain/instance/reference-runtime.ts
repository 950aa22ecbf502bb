/** Every image has it, and every instance starts with it. */
export const referenceRuntime = 'reference'

/** Availability zones with a subnet for machines. */
export const zoneCount = 2

/** That Temporal cannot be reached, for people, with what to do; `why` is an error or its words. */
export const temporalUnreachableMessage = (address: string, why: unknown): string =>
  `Cannot reach Temporal at ${address} (${words(why)}). ` +
  'Start the stack with `npx perpetua up`, or check TEMPORAL_ADDRESS and PERPETUA_HOME.';

/** The native client's messages go on with a dump of its own structures. */
const words = (why: unknown): string => (why instanceof Error ? why.message : String(why)).split('\n')[0] ?? '';

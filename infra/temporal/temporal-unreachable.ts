/** Message for people that Temporal cannot be reached, and what to do; `why`: an error or its text. */
export const temporalUnreachableMessage = (address: string, why: unknown): string =>
  `Cannot reach Temporal at ${address} (${firstLineOf(why)}). ` +
  'Start the stack with `npx perpetua up`, or check TEMPORAL_ADDRESS and PERPETUA_HOME.';

/** First line of a reason: further lines of the native client are a dump of its structures. */
const firstLineOf = (why: unknown): string => (why instanceof Error ? why.message : String(why)).split('\n')[0] ?? '';

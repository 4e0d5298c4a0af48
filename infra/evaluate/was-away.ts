import type { Conversation } from '../compute.ts';

/** Longest way there and back, in ms, of a host that was there all the time, however busy. */
const LONGEST_MS = 1000;

/** Whether the host of a conversation is, or was just now, away: then nobody can say that its program said nothing. */
export async function wasAway({ reach }: Pick<Conversation, 'reach'>): Promise<boolean> {
  if (!reach) return false;
  const began = performance.now();
  // How it fails shows in the end of the conversation.
  await reach().catch(() => undefined);
  return performance.now() - began > LONGEST_MS;
}

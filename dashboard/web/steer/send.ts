import { STEER_HEADER } from '../../api/steer/steer-header.ts';
import type { Steered, SteerAction, Steering } from '../../api/steer/steering.ts';
import { FetchError, fetchJson } from '../data/fetch-json.ts';
import { useResource } from '../data/use-resource.ts';

/** Longest wait for an answer. The server ends its own waits before that. */
const ANSWER_MS = 75_000;

/** True if this page may send messages to researches. Read again when the dashboard comes back, not at each change. */
export const useSteering = (): boolean => useResource<Steering>('steering', { research: '' }).data?.on === true;

/** Sends a message to a research. Throws FetchError with the reason if it had no effect. */
export async function sendMessage(action: SteerAction, id: string, body: object): Promise<Steered> {
  // Read anew: a dashboard that was started again has another token.
  const { token } = await fetchJson<Steering>('steering');
  if (token === null) throw new FetchError('this dashboard may not steer: start it with --steer', 403);
  const response = await fetch(`api/v1/steer/${action}/${encodeURIComponent(id)}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', [STEER_HEADER]: token },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => {
    throw new FetchError('the dashboard does not answer; the message may have been sent', 0);
  });
  if (response.ok) return (await response.json()) as Steered;
  const problem = (await response.json().catch(() => null)) as { error?: string } | null;
  throw new FetchError(problem?.error ?? `the dashboard answered ${response.status}`, response.status);
}

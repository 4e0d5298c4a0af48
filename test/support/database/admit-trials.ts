import { createHash, createHmac } from 'node:crypto';
import { type Admitted, type AdmitInput, admitTrials as admit } from '../../../activities/research/admit-trials.ts';
import type { Hashes } from '../../../activities/research/give-seeds.ts';
import type { Store } from '../../../db/store.ts';

/** The hashes of an installation with that secret. */
export const hashesOf = (secret: string): Hashes => ({
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  hmac: (text) => createHmac('sha256', secret).update(text).digest('hex'),
});

/** An admission as a worker makes it. */
export const admitTrials = (
  store: Pick<Store, 'withResearch'>,
  input: AdmitInput,
  hashes = hashesOf('a secret'),
): Promise<Admitted> => admit(store, input, hashes);

import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/connect.ts';
import { readStanding } from './read-standing.ts';
import { whyItWaits } from './why-it-waits.ts';

/** Looks for why a job waits. */
export const lookOf =
  (of: { client: Client; db: Db; id: string }): (() => Promise<string | null>) =>
  async () =>
    whyItWaits(await readStanding({ ...of, now: new Date() }));

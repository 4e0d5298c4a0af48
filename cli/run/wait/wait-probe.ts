import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/connect.ts';
import { isPostgresOutage } from '../../errors.ts';
import { readJobProgress } from './read-job-progress.ts';
import { describeJobWait } from './describe-job-wait.ts';

/** DEADLINE_EXCEEDED, NOT_FOUND and UNAVAILABLE of gRPC. */
const OUTAGE_CODES = [4, 5, 14];

/**
 * Makes a probe of the reason why a job waits. It returns null if a server is unreachable or the workflow is gone:
 * `followJob` reports these.
 */
export const createWaitProbe =
  (job: { client: Client; db: Db; id: string }): (() => Promise<string | null>) =>
  async () => {
    try {
      return describeJobWait(await readJobProgress({ ...job, now: new Date() }));
    } catch (error) {
      if (isPostgresOutage(error) || OUTAGE_CODES.includes(Number((error as { code?: unknown }).code))) return null;
      throw error;
    }
  };

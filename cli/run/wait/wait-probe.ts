import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/connect.ts';
import { isPostgresOutage } from '../../errors.ts';
import { readJobProgress } from './read-job-progress.ts';
import { describeJobWait } from './describe-job-wait.ts';

/** DEADLINE_EXCEEDED, NOT_FOUND and UNAVAILABLE of gRPC. */
const TOLD_BY_FOLLOWER = [4, 5, 14];

/** Looks for why a job waits. That a server is away, or its workflow gone, is told by whoever follows the job. */
export const createWaitProbe =
  (of: { client: Client; db: Db; id: string }): (() => Promise<string | null>) =>
  async () => {
    try {
      return describeJobWait(await readJobProgress({ ...of, now: new Date() }));
    } catch (error) {
      if (isPostgresOutage(error) || TOLD_BY_FOLLOWER.includes(Number((error as { code?: unknown }).code))) return null;
      throw error;
    }
  };

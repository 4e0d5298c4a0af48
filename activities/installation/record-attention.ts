import type { ActivityDeps } from '../deps.ts';
import { wrapInHeartbeat } from '../with-heartbeat.ts';

export const createInstallationActivities = ({ store }: Pick<ActivityDeps, 'store'>) => ({
  /** Records which entries of "needs you" appeared or ended since the last call, and returns their keys. */
  recordAttention: wrapInHeartbeat(async (): Promise<{ appeared: string[]; ended: string[] }> => {
    const { appeared, ended } = await store.event.recordAttention({ now: new Date() });
    return { appeared: appeared.map(({ key }) => key), ended: ended.map(({ key }) => key) };
  }),
});

import type { StoredSink } from '../../db/notify/read-sinks.ts';
import { lastDigestTime } from '../../domain/notify/digest-time.ts';
import type { PickStatements } from '../deps.ts';

const DAY_MS = 86_400_000;

/** Longest period of a daily report, in days: after a long absence of the worker it tells of all that happened. */
const LONGEST_DAYS = 7;

/** Stores the daily reports that have become due, one for each sink. */
export async function makeDigests(
  { store }: PickStatements<'notify', 'readDigest' | 'insertDigest'>,
  { sinks, now }: { sinks: readonly StoredSink[]; now: Date },
): Promise<void> {
  const failures: unknown[] = [];
  for (const sink of sinks) await makeDigest({ store }, { sink, now }).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function makeDigest(
  { store }: PickStatements<'notify', 'readDigest' | 'insertDigest'>,
  { sink: { name, spec, appliedAt, digestAt }, now }: { sink: StoredSink; now: Date },
): Promise<void> {
  if (spec?.send.includes('digest') !== true) return;
  const dueAt = lastDigestTime(spec, now);
  if ((digestAt ?? appliedAt).getTime() >= dueAt.getTime()) return;
  const yesterday = lastDigestTime(spec, new Date(dueAt.getTime() - 1));
  const since = digestAt === null || digestAt > yesterday ? yesterday : digestAt;
  const earliest = new Date(dueAt.getTime() - LONGEST_DAYS * DAY_MS);
  const body = await store.notify.readDigest({ sink: name, since: since > earliest ? since : earliest, now });
  await store.notify.insertDigest({ sink: name, dueAt, body, now });
}
